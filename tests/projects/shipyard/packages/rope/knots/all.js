exports.knot = 1
