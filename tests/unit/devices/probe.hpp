#pragma once

/// What a test asks of the process that it started; prints lines on stdout.
int probe(const char* what, const char* selector);
