// The host target's work-items: ids, barriers, and the loops over groups and items.
// What all kinds of items know.
struct devq_item_base {
    const devq_host_dispatch* dispatch;
    ulong group[3];

    DEVQ_INLINE uint get_work_dim() const { return dispatch->dimensions; }
    DEVQ_INLINE size_t get_num_groups(uint d) const { return d < 3 ? dispatch->group_count[d] : 1; }
    DEVQ_INLINE size_t get_group_id(uint d) const { return d < 3 ? group[d] : 0; }
    DEVQ_INLINE size_t get_global_offset(uint d) const { return d < 3 ? dispatch->global_offset[d] : 0; }
    DEVQ_INLINE size_t get_global_size(uint d) const { return d < 3 ? dispatch->global_size[d] : 1; }
    DEVQ_INLINE uint devq_index(uint id, uint rest) const { return id + rest; }
    DEVQ_INLINE void* local_memory() const { return dispatch->local_memory; }
    template <class... A>
    __attribute__((noinline)) int devq_print(const char* format, A... values) const {
        char text[1024]; // longer ones are cut
        const int length = __builtin_snprintf(text, sizeof text, format, values...);
        if (length > 0)
            dispatch->print(dispatch->print_context, text,
                            length < static_cast<int>(sizeof text) ? length : sizeof text - 1);
        return length < 0 ? -1 : 0;
    }

    DEVQ_INLINE void start(const devq_host_dispatch* d, devq_u64 number) {
        dispatch = d;
        group[0] = number % d->group_count[0];
        number /= d->group_count[0];
        group[1] = number % d->group_count[1];
        group[2] = number / d->group_count[1];
    }
    // By `groups`, which are no more than are left in the row.
    DEVQ_INLINE void next(devq_u64 groups = 1) {
        group[0] += groups;
        if (group[0] < dispatch->group_count[0])
            return;
        group[0] = 0;
        if (++group[1] < dispatch->group_count[1])
            return;
        group[1] = 0;
        ++group[2];
    }
};

// Copies by the whole group: each item takes its share, and waiting for them is a barrier.
template <class Self>
struct devq_copying : devq_item_base {
    template <class T>
    DEVQ_INLINE void devq_copy(T* to, const T* from, size_t count, size_t to_step, size_t from_step) const {
        const Self& item = *static_cast<const Self*>(this);
        size_t id = 0, items = 1;
        for (int d = 2; d >= 0; --d) {
            id = id * item.get_local_size(d) + item.get_local_id(d);
            items *= item.get_local_size(d);
        }
        for (; id < count; id += items)
            to[id * to_step] = from[id * from_step];
    }
    template <class T>
    DEVQ_INLINE event_t async_work_group_copy(T* to, const T* from, size_t count, event_t) const {
        devq_copy(to, from, count, 1, 1);
        return {};
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
    DEVQ_INLINE void wait_group_events(int, event_t*) const { static_cast<const Self*>(this)->barrier(0); }
};

// The only item of its group: barriers are nothing, loops that stride by the group's size go one by one.
struct devq_single_item : devq_copying<devq_single_item> {
    DEVQ_INLINE size_t get_local_id(uint) const { return 0; }
    DEVQ_INLINE size_t get_local_size(uint) const { return 1; }
    DEVQ_INLINE size_t get_global_id(uint d) const { return d < 3 ? group[d] + dispatch->global_offset[d] : 0; }
    DEVQ_INLINE void barrier(int) const {}
};

// Any item of any range.
struct devq_wide_item : devq_copying<devq_wide_item> {
    ulong local[3];

    DEVQ_INLINE size_t get_local_id(uint d) const { return d < 3 ? local[d] : 0; }
    DEVQ_INLINE size_t get_local_size(uint d) const { return d < 3 ? dispatch->local_size[d] : 1; }
    DEVQ_INLINE size_t get_global_id(uint d) const {
        return d < 3 ? group[d] * dispatch->local_size[d] + local[d] + dispatch->global_offset[d] : 0;
    }
    DEVQ_INLINE void barrier(int) const { dispatch->barrier(dispatch->barrier_context); }
};

// An item whose ids are below 2^31: compilers vectorise over it, since int cannot wrap around.
struct devq_small_item : devq_copying<devq_small_item> {
    int local[3], base[3];

    // No element by a number that only the launch knows: that would be memory of the loop's, one for all of its items.
    static DEVQ_INLINE int part(const int (&all)[3], uint d) {
        return d == 0 ? all[0] : d == 1 ? all[1] : d == 2 ? all[2] : 0;
    }
    DEVQ_INLINE size_t get_local_id(uint d) const { return static_cast<size_t>(part(local, d)); }
    DEVQ_INLINE size_t get_local_size(uint d) const { return d < 3 ? dispatch->local_size[d] : 1; }
    DEVQ_INLINE size_t get_global_id(uint d) const { return static_cast<size_t>(part(base, d) + part(local, d)); }
    // id + rest into fewer than 2^31 elements, as compilers see best that neighbours are neighbours.
    DEVQ_INLINE long devq_index(uint id, uint rest) const {
        return static_cast<long>(static_cast<int>(id)) + static_cast<int>(rest);
    }
    DEVQ_INLINE void barrier(int) const {}
    // The mask changes nothing, but says that no id is negative: else g++ makes no vectors where ids are uints.
    DEVQ_INLINE void place() {
        for (int d = 0; d < 3; ++d)
            base[d] = static_cast<int>((group[d] * dispatch->local_size[d] + dispatch->global_offset[d]) & 0x7fffffffu);
    }
};

template <class T>
DEVQ_FN T devq_argument(const devq_host_dispatch* d, int i) {
    if constexpr (devq_is_pointer<T>::value) {
        return (T)d->arguments[i];
    } else {
        T value; // its bytes need not be aligned
        __builtin_memcpy(&value, d->arguments[i], sizeof value);
        return value;
    }
}

// run(item) for each group of one item.
template <class Run>
DEVQ_FN void devq_each_group(const devq_host_dispatch* d, devq_u64 first, devq_u64 last, Run run) {
    devq_single_item item;
    item.start(d, first);
    for (; first < last; ++first, item.next())
        run(item);
}

DEVQ_FN bool devq_is_small(const devq_host_dispatch* d) {
    bool small = true;
    for (int i = 0; i < 3; ++i)
        small &= d->global_size[i] + d->global_offset[i] < 0x7fffffffu;
    return small;
}
// How many items wide groups beside one another are made where items cannot tell them apart: enough for vectors, few
// enough that what the rows of a two-dimensional group share stays in the cache.
#define DEVQ_JOINED_ITEMS 256
// run(item) for all items of each group, none of which waits for another; in_order: each has memory of its own, which
// compilers must not be told to be independent of the other items'.
#define DEVQ_EACH_ITEM_OF_GROUPS(NAME, PRAGMA)                                                                         \
    template <int WIDTH, class Run>                                                                                    \
    DEVQ_FN void NAME(const devq_host_dispatch* d, devq_u64 first, devq_u64 last, Run run) {                           \
        devq_small_item item;                                                                                          \
        item.start(d, first);                                                                                          \
        const int of_group = static_cast<int>(d->local_size[0]), ny = static_cast<int>(d->local_size[1]),              \
                  nz = static_cast<int>(d->local_size[2]), most = WIDTH / of_group;                                    \
        for (devq_u64 groups = 1; first < last; first += groups, item.next(groups)) {                                  \
            if (most > 1) {                                                                                            \
                const devq_u64 row = d->group_count[0] - item.group[0], left = last - first;                           \
                groups = row < left ? row : left;                                                                      \
                groups = groups < most ? groups : most;                                                                \
            }                                                                                                          \
            const int nx = of_group * static_cast<int>(groups);                                                        \
            item.place();                                                                                              \
            for (int z = 0; z < nz; ++z)                                                                               \
                for (int y = 0; y < ny; ++y) {                                                                         \
                    PRAGMA for (int x = 0; x < nx; ++x) {                                                              \
                        devq_small_item here = item;                                                                   \
                        here.local[0] = x;                                                                             \
                        here.local[1] = y;                                                                             \
                        here.local[2] = z;                                                                             \
                        run(here);                                                                                     \
                    }                                                                                                  \
                }                                                                                                      \
        }                                                                                                              \
    }
DEVQ_EACH_ITEM_OF_GROUPS(devq_each_item, DEVQ_INDEPENDENT)
DEVQ_EACH_ITEM_OF_GROUPS(devq_each_item_in_order, )
#undef DEVQ_EACH_ITEM_OF_GROUPS
typedef void (*devq_run_item)(const devq_host_dispatch*, devq_u64, const devq_u64*);
// The same where ids need 64 bits.
static inline void devq_each_wide_item(const devq_host_dispatch* d, devq_u64 first, devq_u64 last, devq_run_item run) {
    devq_u64 id[3];
    for (; first < last; ++first)
        for (id[2] = 0; id[2] < d->local_size[2]; ++id[2])
            for (id[1] = 0; id[1] < d->local_size[1]; ++id[1])
                for (id[0] = 0; id[0] < d->local_size[0]; ++id[0])
                    run(d, first, id);
}
DEVQ_FN devq_wide_item devq_make_item(const devq_host_dispatch* d, devq_u64 group, const devq_u64* local) {
    devq_wide_item item;
    item.start(d, group);
    for (int i = 0; i < 3; ++i)
        item.local[i] = local[i];
    return item;
}

// ---- kernels split at their barriers ----
// Room for what lives across them: an array a variable, an element an item.
struct devq_split_room {
    char* at;
    size_t items;
    DEVQ_INLINE devq_split_room(const devq_host_dispatch* d)
        : at(static_cast<char*>(d->split_memory)), items(d->local_size[0] * d->local_size[1] * d->local_size[2]) {}
    template <class T>
    DEVQ_INLINE T* take() {
        T* const taken = (T*)at;
        at += (items * sizeof(T) + 127) / 128 * 128;
        return taken;
    }
};
// A kept array with its values, made in its place.
template <class T>
struct devq_placed {
    T value;
    static DEVQ_INLINE void* operator new(size_t, void* place) noexcept { return place; }
};
// run(item, number) for all items of a group, which PRAGMA may say are independent. X, Y, Z: the group's size, or 0
// where it is not known.
#define DEVQ_EACH_ITEM(PRAGMA, CALL)                                                                                   \
    const devq_u64* const size = group.dispatch->local_size;                                                           \
    const int nx = X ? X : static_cast<int>(size[0]), ny = Y ? Y : static_cast<int>(size[1]),                          \
              nz = Z ? Z : static_cast<int>(size[2]);                                                                  \
    for (int z = 0; z < nz; ++z)                                                                                       \
        for (int y = 0; y < ny; ++y) {                                                                                 \
            const int row = nx * (y + ny * z);                                                                         \
            PRAGMA for (int x = 0; x < nx; ++x) {                                                                      \
                devq_small_item here = group;                                                                          \
                here.local[0] = x;                                                                                     \
                here.local[1] = y;                                                                                     \
                here.local[2] = z;                                                                                     \
                CALL;                                                                                                  \
            }                                                                                                          \
        }
template <int X, int Y, int Z, class Run>
DEVQ_FN void devq_region(const devq_small_item& group, Run run) {
    DEVQ_EACH_ITEM(DEVQ_INDEPENDENT, run(here, row + x))
}
template <int X, int Y, int Z, class Run>
DEVQ_FN void devq_region_in_order(const devq_small_item& group, Run run) {
    DEVQ_EACH_ITEM(, run(here, row + x))
}
// Asks all items, which must agree; answers false and sets `apart` where they do not.
template <int X, int Y, int Z, class Ask>
DEVQ_FN bool devq_agree(const devq_small_item& group, bool& apart, Ask ask) {
    int agreed = 0; // one sum over all items: no place for DEVQ_INDEPENDENT
    DEVQ_EACH_ITEM(, agreed += ask(here, row + x))
    apart = agreed != 0 && agreed != nx * ny * nz;
    return agreed != 0 && !apart;
}
#undef DEVQ_EACH_ITEM
// run(first item) for each group, until one answers false: its items have parted.
template <class Run>
DEVQ_FN void devq_each_split_group(const devq_host_dispatch* d, devq_u64 first, devq_u64 last, Run run) {
    devq_small_item item;
    item.start(d, first);
    item.local[0] = item.local[1] = item.local[2] = 0;
    for (; first < last; ++first, item.next()) {
        item.place();
        if (!run(item)) {
            *d->diverged = first + 1;
            return;
        }
    }
}
