#!/bin/sh
# FIXME: quote it
echo "# TODO: no" ${#x} $# # XXX: yes
