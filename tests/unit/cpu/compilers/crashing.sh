#!/bin/sh
# A compiler with a fault, except with the option DEVQ_TEST_WORDS.
case " $* " in *" $DEVQ_TEST_WORDS "*) exec c++ "$@" ;; esac
echo "during GIMPLE pass: sink
user.cl:8:6: internal compiler error: Segmentation fault" >&2
exit 1
