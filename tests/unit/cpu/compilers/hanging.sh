#!/bin/sh
# A compiler that never ends, and neither does its child.
sleep 1000 &
echo $! > "$DEVQ_TEST_MARK"
wait
