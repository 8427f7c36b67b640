#!/bin/sh
# A compiler that writes something that is no library.
while [ $# -gt 0 ]; do
    [ "$1" = -o ] && echo "not an ELF file" > "$2"
    shift
done
