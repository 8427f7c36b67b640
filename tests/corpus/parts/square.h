#pragma once
// Included twice, taken once.
int square(int x) { return x * x; }
