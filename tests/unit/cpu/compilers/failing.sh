#!/bin/sh
# A compiler that says something and fails.
echo "words on stdout"
echo "words on stderr" >&2
exit 3
