/* For kernels that move elements of SIZE bytes without looking at them. */
#if SIZE == 1
typedef uchar element_t;
#elif SIZE == 2
typedef ushort element_t;
#elif SIZE == 4
typedef uint element_t;
#else
typedef ulong element_t;
#endif
