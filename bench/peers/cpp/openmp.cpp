// OpenMP: the graph is built anew in every run, as tasks with dependencies.
#include "contestant.hpp"

#include <omp.h>

#if defined(__clang__)
#define RUNTIME "OpenMP (LLVM " + std::to_string(__clang_major__) + ")"
#else
#define RUNTIME "OpenMP (GNU " + std::to_string(__GNUC__) + ")"
#endif

int main(int argc, char** argv) {
    contestant::Contest contest(RUNTIME, argc, argv);
    const int count = int(contest.tasks.size());
    // Only the addresses matter.
    std::vector<char> done_marks(contest.tasks.size());
    char* done = done_marks.data();
    contest.measure([&] {
#pragma omp parallel num_threads(contest.workers)
#pragma omp single
        for (int task = 0; task < count; ++task) {
            const int* before = contest.tasks[task].predecessors.data();
            const int befores = int(contest.tasks[task].predecessors.size());
#pragma omp task firstprivate(task) depend(iterator(int i = 0 : befores), in : done[before[i]]) depend(out : done[task])
            contest.work(task);
        }
    });
}
