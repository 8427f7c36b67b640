// The host target's atomics, relaxed as OpenCL 1.2 has them, and fences.
// In local memory nobody but the group's own thread reads or writes: devq_local_ ones need no bus lock. They are atomic
// accesses nevertheless, which keep compilers from making vectors of several items' ones.
#define DEVQ_ATOMIC(NAME, BODY)                                                                                        \
    template <class T>                                                                                                 \
    DEVQ_FN T atomic_##NAME(volatile T* p, typename devq_same<T>::type v) BODY template <class T>                      \
    DEVQ_FN T atom_##NAME(volatile T* p, typename devq_same<T>::type v) BODY
DEVQ_ATOMIC(add, { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); })
DEVQ_ATOMIC(sub, { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); })
DEVQ_ATOMIC(and, { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); })
DEVQ_ATOMIC(or, { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); })
DEVQ_ATOMIC(xor, {
  return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);
})
DEVQ_ATOMIC(xchg, {
    T old;
    __atomic_exchange((T*)p, &v, &old, __ATOMIC_RELAXED);
    return old;
})
DEVQ_ATOMIC(min, {
    T old = *p;
    while (v < old && !__atomic_compare_exchange((T*)p, &old, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
})
DEVQ_ATOMIC(max, {
    T old = *p;
    while (old < v && !__atomic_compare_exchange((T*)p, &old, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
})
#undef DEVQ_ATOMIC
#define DEVQ_LOCAL_ATOMIC(NAME, VALUE)                                                                                 \
    template <class T>                                                                                                 \
    DEVQ_FN T devq_local_atomic_##NAME(volatile T* p, typename devq_same<T>::type v) {                                 \
        T old, next;                                                                                                   \
        __atomic_load((T*)p, &old, __ATOMIC_RELAXED);                                                                  \
        next = VALUE;                                                                                                  \
        __atomic_store((T*)p, &next, __ATOMIC_RELAXED);                                                                \
        return old;                                                                                                    \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN T devq_local_atom_##NAME(volatile T* p, typename devq_same<T>::type v) {                                   \
        return devq_local_atomic_##NAME(p, v);                                                                         \
    }
DEVQ_LOCAL_ATOMIC(add, static_cast<T>(static_cast<ulong>(old) + static_cast<ulong>(v)))
DEVQ_LOCAL_ATOMIC(sub, static_cast<T>(static_cast<ulong>(old) - static_cast<ulong>(v)))
DEVQ_LOCAL_ATOMIC(and, old& v)
DEVQ_LOCAL_ATOMIC(or, old | v)
DEVQ_LOCAL_ATOMIC(xor, old ^ v)
DEVQ_LOCAL_ATOMIC(xchg, v)
DEVQ_LOCAL_ATOMIC(min, v < old ? v : old)
DEVQ_LOCAL_ATOMIC(max, old < v ? v : old)
#undef DEVQ_LOCAL_ATOMIC
#define DEVQ_ATOMIC_FORMS(PREFIX)                                                                                      \
    template <class T>                                                                                                 \
    DEVQ_FN T PREFIX##_inc(volatile T* p) {                                                                            \
        return PREFIX##_add(p, T(1));                                                                                  \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN T PREFIX##_dec(volatile T* p) {                                                                            \
        return PREFIX##_sub(p, T(1));                                                                                  \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN T PREFIX##_cmpxchg(volatile T* p, typename devq_same<T>::type expected, typename devq_same<T>::type v) {   \
        __atomic_compare_exchange((T*)p, &expected, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                    \
        return expected;                                                                                               \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN T devq_local_##PREFIX##_inc(volatile T* p) {                                                               \
        return devq_local_##PREFIX##_add(p, T(1));                                                                     \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN T devq_local_##PREFIX##_dec(volatile T* p) {                                                               \
        return devq_local_##PREFIX##_sub(p, T(1));                                                                     \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN T devq_local_##PREFIX##_cmpxchg(volatile T* p, typename devq_same<T>::type expected,                       \
                                            typename devq_same<T>::type v) {                                           \
        T old;                                                                                                         \
        __atomic_load((T*)p, &old, __ATOMIC_RELAXED);                                                                  \
        if (old == expected)                                                                                           \
            __atomic_store((T*)p, &v, __ATOMIC_RELAXED);                                                               \
        return old;                                                                                                    \
    }
DEVQ_ATOMIC_FORMS(atomic)
DEVQ_ATOMIC_FORMS(atom)
#undef DEVQ_ATOMIC_FORMS
DEVQ_FN void mem_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
DEVQ_FN void read_mem_fence(int) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
DEVQ_FN void write_mem_fence(int) { __atomic_thread_fence(__ATOMIC_RELEASE); }
