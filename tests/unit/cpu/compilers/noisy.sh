#!/bin/sh
# A compiler with a lot to say.
i=0
while [ $i -lt 4000 ]; do
    echo "error: the same line over and over again, so that there are several hundred thousand characters in all"
    i=$((i + 1))
done
exit 1
