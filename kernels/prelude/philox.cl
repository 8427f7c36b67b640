/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3; 2011): ten rounds make four
 * random words of a counter of four words and a key of two. On CPUs each lane of a vector has a counter of its own. */
#if GROUP == 1
typedef uintv word_t;
#define LANES VW
#else
typedef uint word_t;
#define LANES 1
#endif

static inline void philox(word_t c[4], uint key_0, uint key_1) {
    for (int round = 0; round < 10; round++) {
        const word_t high_0 = mul_hi(c[0], (word_t)(0xD2511F53u)), low_0 = c[0] * 0xD2511F53u;
        const word_t high_1 = mul_hi(c[2], (word_t)(0xCD9E8D57u)), low_1 = c[2] * 0xCD9E8D57u;
        c[0] = high_1 ^ c[1] ^ key_0;
        c[1] = low_1;
        c[2] = high_0 ^ c[3] ^ key_1;
        c[3] = low_0;
        key_0 += 0x9E3779B9u;
        key_1 += 0xBB67AE85u;
    }
}
