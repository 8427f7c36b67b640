#!/bin/sh
# A compiler that fails with the words it is given.
echo "$DEVQ_TEST_WORDS" >&2
exit 1
