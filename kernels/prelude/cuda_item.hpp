// The CUDA target's work-items, barriers, fences and atomics.
struct devq_cuda_item {
#define DEVQ_ID(NAME, SOURCE, OTHERWISE)                                                                               \
    DEVQ_INLINE size_t NAME(uint d) const {                                                                            \
        return d == 0 ? SOURCE.x : d == 1 ? SOURCE.y : d == 2 ? SOURCE.z : OTHERWISE;                                  \
    }
    DEVQ_ID(get_local_id, threadIdx, 0)
    DEVQ_ID(get_group_id, blockIdx, 0)
    DEVQ_ID(get_local_size, blockDim, 1)
    DEVQ_ID(get_num_groups, gridDim, 1)
#undef DEVQ_ID
    DEVQ_INLINE size_t get_global_id(uint d) const { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
    DEVQ_INLINE size_t get_global_size(uint d) const { return get_num_groups(d) * get_local_size(d); }
    DEVQ_INLINE size_t get_global_offset(uint) const { return 0; }
    DEVQ_INLINE uint get_work_dim() const { return get_global_size(2) > 1 ? 3 : get_global_size(1) > 1 ? 2 : 1; }
    DEVQ_INLINE void barrier(int) const { __syncthreads(); }
    template <class... A>
    DEVQ_INLINE int devq_print(const char* format, A... values) const {
        return ::printf(format, values...) < 0 ? -1 : 0;
    }

    template <class T>
    DEVQ_INLINE void devq_copy(T* to, const T* from, size_t count, size_t to_step, size_t from_step) const {
        const size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
        size_t i = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
        for (; i < count; i += items)
            to[i * to_step] = from[i * from_step];
    }
    template <class T>
    DEVQ_INLINE event_t devq_copy_in(T* to, const T* from, size_t count, size_t step, event_t) const {
        devq_copy(to, from, count, 1, step);
        return {};
    }
    template <class T>
    DEVQ_INLINE event_t devq_copy_out(T* to, const T* from, size_t count, size_t step, event_t) const {
        devq_copy(to, from, count, step, 1);
        return {};
    }
    template <class T>
    DEVQ_INLINE event_t async_work_group_copy(T* to, const T* from, size_t count, event_t) const {
        devq_copy(to, from, count, 1, 1);
        return {};
    }
    DEVQ_INLINE void wait_group_events(int, event_t*) const { __syncthreads(); }
};

DEVQ_FN void mem_fence(int) { __threadfence(); }
DEVQ_FN void read_mem_fence(int) { __threadfence(); }
DEVQ_FN void write_mem_fence(int) { __threadfence(); }

// CUDA's atomics know long long, not long.
template <class T>
struct devq_atomic_type {
    typedef T type;
};
template <>
struct devq_atomic_type<long> {
    typedef long long type;
};
template <>
struct devq_atomic_type<ulong> {
    typedef unsigned long long type;
};
template <class T>
DEVQ_FN auto devq_atomic(volatile T* p) {
    return (typename devq_atomic_type<T>::type*)p;
}
template <class T>
DEVQ_FN T devq_atomic_cas(volatile T* p, T expected, T v) {
    if constexpr (sizeof(T) == 8)
        return (T)atomicCAS((unsigned long long*)p, (unsigned long long)expected, (unsigned long long)v);
    else
        return (T)atomicCAS((unsigned*)p, (unsigned)expected, (unsigned)v);
}
#define DEVQ_ATOMIC(NAME, CALL)                                                                                        \
    template <class T>                                                                                                 \
    DEVQ_FN T atomic_##NAME(volatile T* p, typename devq_same<T>::type value) {                                        \
        [[maybe_unused]] const typename devq_atomic_type<T>::type v = value;                                           \
        return static_cast<T>(CALL);                                                                                   \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    DEVQ_FN T atom_##NAME(volatile T* p, typename devq_same<T>::type value) {                                          \
        return atomic_##NAME(p, value);                                                                                \
    }
template <class T>
DEVQ_FN T devq_atomic_sum(volatile T* p, T v) {
    if constexpr (sizeof(T) == 8)
        return (T)atomicAdd((unsigned long long*)p, (unsigned long long)v);
    else
        return (T)atomicAdd((unsigned*)p, (unsigned)v);
}
DEVQ_ATOMIC(add, devq_atomic_sum(p, value))
DEVQ_ATOMIC(sub, devq_atomic_sum(p, static_cast<T>(0 - value)))
template <class T>
DEVQ_FN T devq_atomic_exchange(volatile T* p, T v) {
    if constexpr (devq_is_same<T, float>::value)
        return atomicExch((float*)p, v);
    else if constexpr (sizeof(T) == 8)
        return (T)atomicExch((unsigned long long*)p, (unsigned long long)v);
    else
        return (T)atomicExch((unsigned*)p, (unsigned)v);
}
DEVQ_ATOMIC(xchg, devq_atomic_exchange(p, value))
DEVQ_ATOMIC(min, atomicMin(devq_atomic(p), v))
DEVQ_ATOMIC(max, atomicMax(devq_atomic(p), v))
DEVQ_ATOMIC(and, atomicAnd(devq_atomic(p), v))
DEVQ_ATOMIC(or, atomicOr(devq_atomic(p), v))
DEVQ_ATOMIC(xor, atomicXor(devq_atomic(p), v))
#undef DEVQ_ATOMIC
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
        return devq_atomic_cas<T>(p, expected, v);                                                                     \
    }
DEVQ_ATOMIC_FORMS(atomic)
DEVQ_ATOMIC_FORMS(atom)
#undef DEVQ_ATOMIC_FORMS
