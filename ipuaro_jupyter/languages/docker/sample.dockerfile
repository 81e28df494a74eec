# TODO: pin the image
FROM debian
