// devq-guard PARENT PROGRAM [ARGUMENT...]: runs a program that ends, with all its children, when the process PARENT
// does. A compiler driver has children of its own, which outlive it however it dies: so the whole process group is
// killed, of which devq-guard is the leader (runtime/child_process.cpp makes it so). It ends as the program did.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void end_all(int) {
    kill(0, SIGKILL); // this process too
}

/// False where the parent was gone before the signal was asked for.
static bool ends_with(pid_t parent, int signal) {
    prctl(PR_SET_PDEATHSIG, signal);
    return getppid() == parent;
}

int main(int count, char** arguments) {
    if (count < 3) {
        std::fputs("devq-guard: a part of devq, which runs compilers by it; not meant for people\n", stderr);
        return 2;
    }
    const rlimit none{0, 0}; // the program's core file is enough
    const pid_t parent = static_cast<pid_t>(std::strtol(arguments[1], nullptr, 10));
    const bool leads = getpgrp() == getpid();
    if (leads) {
        struct sigaction action {};
        action.sa_handler = end_all;
        sigaction(SIGTERM, &action, nullptr);
    }
    if (!ends_with(parent, leads ? SIGTERM : SIGKILL))
        return 1;
    const pid_t self = getpid();
    const pid_t child = fork(); // this process has one thread
    if (child == 0) {
        std::signal(SIGTERM, SIG_DFL);
        if (!ends_with(self, SIGKILL))
            _exit(1);
        execv(arguments[2], arguments + 2);
        std::printf("cannot run %s: %s\n", arguments[2], std::strerror(errno));
        std::fflush(stdout);
        _exit(126);
    }
    if (child < 0) {
        std::printf("cannot run %s: %s\n", arguments[2], std::strerror(errno));
        return 126;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &none);
    std::signal(WTERMSIG(status), SIG_DFL);
    kill(self, WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
