#pragma once
/* How a kernel compiled for the host is called: shared by the front end's writer (which pastes this text into each
 * unit, so it includes nothing), by the cpu backend that calls it, and by the kernels compiled ahead. Plain C on
 * purpose. */

#ifdef __cplusplus
extern "C" {
#endif

#define DEVQ_HOST_ABI_VERSION 2

typedef unsigned long long devq_u64;

/* One launch as the kernel sees it. Groups are numbered in row-major order, dimension 0 fastest. */
struct devq_host_dispatch {
    devq_u64 global_size[3];
    devq_u64 local_size[3];
    devq_u64 group_count[3];
    devq_u64 global_offset[3];
    unsigned dimensions;
    /* One entry a parameter: global/constant: the address; value: a pointer to its bytes; local: scratch of this
     * thread, 128-byte aligned, of the size that the caller asked for. */
    void* const* arguments;
    /* Scratch of this thread for the kernel's own local variables: local_bytes, 128-byte aligned. */
    void* local_memory;
    /* Called by a work-item at a barrier (only from run_item). */
    void (*barrier)(void* context);
    void* barrier_context;
    /* Of split kernels' run_groups: scratch of this thread for variables that live across barriers, 128-byte aligned,
     * split_item_bytes for each item of a group and split_group_bytes besides. */
    void* split_memory;
    /* Of split kernels' run_groups: set to 1 + the number of a group whose items part at a barrier, which is the last
     * one that is run. */
    devq_u64* diverged;
    /* Takes what a work-item prints. */
    void (*print)(void* context, const char* text, devq_u64 bytes);
    void* print_context;
};

struct devq_host_kernel {
    const char* name;
    unsigned parameter_count;
    unsigned uses_barrier;      /* unless it is split, run_groups is null or for groups of one item only */
    devq_u64 local_bytes;       /* exact size of the kernel's own local variables */
    devq_u64 required_group[3]; /* reqd_work_group_size or zeros */
    /* Runs the groups first <= g < last, all work-items of each. Null where only run_item will do. */
    void (*run_groups)(const struct devq_host_dispatch* dispatch, devq_u64 first, devq_u64 last);
    /* Runs one work-item of one group; on a fiber where the kernel has barriers. Null in single_item_groups units. */
    void (*run_item)(const struct devq_host_dispatch* dispatch, devq_u64 group, const devq_u64* local_id);
    /* A kernel with barriers whose run_groups runs its items from barrier to barrier in loops. For ranges whose ids are
     * all below 2^31 - 1; otherwise run_item is left. */
    unsigned split;
    devq_u64 split_item_bytes, split_group_bytes;
    const char* fiber_reason; /* why a kernel with barriers is not split; or null */
};

struct devq_host_kernel_table {
    unsigned abi_version;
    unsigned count;
    const struct devq_host_kernel* kernels;
};

#ifdef __cplusplus
}
#endif
