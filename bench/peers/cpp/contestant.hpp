// The parts that all C++ contestants of the bench share: protocol, calibrated work, measurement. The same as the crate in
// bench/contestant, which explains the protocol. Each contestant is one translation unit that includes this once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sched.h>
#include <sstream>
#include <string>
#include <time.h>
#include <vector>

namespace contestant {

inline std::atomic<bool> counting{false};
inline std::atomic<uint64_t> allocations{0};

inline void count_allocation() {
    if (counting.load(std::memory_order_relaxed))
        allocations.fetch_add(1, std::memory_order_relaxed);
}

[[noreturn]] inline void fail(const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(2);
}

inline uint64_t read_clock(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

inline uint64_t monotonic_ns() { return read_clock(CLOCK_MONOTONIC); }

inline void sleep_until_ns(uint64_t due) {
    timespec time{time_t(due / 1'000'000'000), long(due % 1'000'000'000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
    }
}

inline void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

struct Task {
    uint64_t duration_ns;
    std::vector<int> predecessors, successors;
    // The longest path by duration from the task's begin to the end of the graph.
    uint64_t remaining_ns;
};

class Contest {
public:
    Contest(const std::string& name, int argc, char** argv) {
        for (int index = 1; index < argc; ++index)
            arguments.emplace_back(argv[index]);
        read_graph(value("--graph"));
        workers = std::max(1, std::stoi(value("--workers")));
        mode = value("--mode");
        runs = std::stoul(value("--runs"));
        period_ns = std::stoull(value("--period-ns"));
        if (std::find(arguments.begin(), arguments.end(), "--priority") != arguments.end())
            priority = std::stoi(value("--priority"));
        std::printf("contestant %s\n", name.c_str());
        std::printf("granted %s\n", request_real_time() ? ("SCHED_FIFO " + std::to_string(priority)).c_str() : "time sharing");
        calibrate();
    }

    std::vector<std::string> arguments;
    std::vector<Task> tasks;
    std::vector<int> roots;
    int workers;

    // Does the work of one task.
    void work(int task) {
        if (note_first.load(std::memory_order_relaxed) && first.load(std::memory_order_relaxed) == 0) {
            uint64_t none = 0;
            first.compare_exchange_strong(none, monotonic_ns(), std::memory_order_relaxed);
        }
        chain(steps[task]);
    }

    // Measures as the command line says; `run` runs every task once and returns when all are done.
    template <class Run> void measure(Run&& run) {
        if (mode != "bare" && mode != "varied")
            warm_up(run);
        if (mode == "steady") {
            steady(run);
        } else if (mode == "varied") {
            varied(run);
        } else if (mode == "periodic" || mode == "together") {
            periodic(run);
        } else if (mode == "idle") {
            idle(run);
        } else if (mode == "allocations") {
            uint64_t before = allocations;
            counting = true;
            for (size_t index = 0; index < runs; ++index)
                run();
            counting = false;
            std::printf("allocations %llu\nallocation_runs %zu\n", (unsigned long long)(allocations - before), runs);
        } else if (mode == "bare") {
            for (size_t index = 0; index < runs; ++index)
                run();
        } else {
            fail("no mode `" + mode + "`");
        }
    }

private:
    using Samples = std::vector<uint64_t>;
    static constexpr uint64_t EARLINESS_NS = 200'000;
    static constexpr size_t TURNS = 8, WARM_UP_RUNS = 24;
    static constexpr uint64_t WARM_UP_NS = 10'000'000;
    static constexpr size_t WARM_UP_WAITS = 100;
    static constexpr uint64_t WARM_UP_WAIT_NS = 1'000'000;

    std::string mode;
    size_t runs;
    uint64_t period_ns;
    std::vector<int> allowed;
    std::vector<uint64_t> steps;
    double steps_per_ns = 0.0;
    std::atomic<bool> note_first{false};
    std::atomic<uint64_t> first{0};

    std::string value(const std::string& key) const {
        auto found = std::find(arguments.begin(), arguments.end(), key);
        if (found == arguments.end() || ++found == arguments.end())
            fail(key + " VALUE is missing");
        return *found;
    }

    void read_graph(const std::string& path) {
        std::ifstream file(path);
        if (!file)
            fail(path + " cannot be read");
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line.substr(0, line.find('#')));
            int number;
            Task task{};
            if (!(words >> number))
                continue;
            if (number != int(tasks.size()) || !(words >> task.duration_ns))
                fail(path + ": expected task " + std::to_string(tasks.size()) + " in `" + line + "`");
            for (int before; words >> before;) {
                if (before < 0 || before >= number)
                    fail(path + ": a predecessor has to be an earlier task in `" + line + "`");
                task.predecessors.push_back(before);
                tasks[before].successors.push_back(number);
            }
            if (task.predecessors.empty())
                roots.push_back(number);
            tasks.push_back(task);
        }
        for (size_t task = tasks.size(); task-- > 0;) {
            uint64_t longest = 0;
            for (int next : tasks[task].successors)
                longest = std::max(longest, tasks[next].remaining_ns);
            tasks[task].remaining_ns = tasks[task].duration_ns + longest;
        }
    }

    int priority = 80;

    // Confines the process to as many cores as there are workers, at least two; threads inherit that, and the priority.
    bool request_real_time() {
        for (int core : cores())
            if (int(allowed.size()) < std::max(workers, 2))
                allowed.push_back(core);
        set_cores(allowed);
        return set_priority(priority);
    }

    static std::vector<int> cores() {
        cpu_set_t set;
        std::vector<int> result;
        if (sched_getaffinity(0, sizeof set, &set) == 0)
            for (int core = 0; core < CPU_SETSIZE; ++core)
                if (CPU_ISSET(core, &set))
                    result.push_back(core);
        return result;
    }

    static void set_cores(const std::vector<int>& cores) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (int core : cores)
            CPU_SET(core, &set);
        sched_setaffinity(0, sizeof set, &set);
    }

    static bool set_priority(int priority) {
        sched_param parameters{};
        parameters.sched_priority = priority;
        return sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
    }

    static void chain(uint64_t steps) {
        uint64_t value = steps;
        for (uint64_t step = 0; step < steps; ++step)
            value = value * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
        asm volatile("" : : "r"(value) : "memory");
    }

    void calibrate() {
        constexpr uint64_t STEPS = 100'000;
        uint64_t fastest = UINT64_MAX;
        for (int attempt = 0; attempt < 40; ++attempt) {
            uint64_t begin = monotonic_ns();
            chain(STEPS);
            fastest = std::min(fastest, monotonic_ns() - begin);
        }
        steps_per_ns = double(STEPS) / double(std::max<uint64_t>(fastest, 1));
        steps.resize(tasks.size());
        for (size_t task = 0; task < tasks.size(); ++task)
            take(task, tasks[task].duration_ns);
    }

    // Sets the duration of a task from the next run on.
    void take(size_t task, uint64_t duration_ns) { steps[task] = uint64_t(double(duration_ns) * steps_per_ns + 0.5); }

    void run_in_order() {
        for (size_t task = 0; task < tasks.size(); ++task)
            work(int(task));
    }

    template <class Run> void warm_up(Run& run) {
        uint64_t begin = monotonic_ns();
        for (size_t index = 0; index < WARM_UP_RUNS || monotonic_ns() - begin < WARM_UP_NS; ++index)
            run();
    }

    template <class Run> static void back_to_back(size_t count, Samples& samples, Run&& run) {
        run();
        uint64_t last = monotonic_ns();
        for (size_t index = 0; index < count; ++index) {
            run();
            uint64_t now = monotonic_ns();
            samples.push_back(now - last);
            last = now;
        }
    }

    // The sequential loop on each of the cores that the contestant works on, before any other thread that may spin there. A sample
    // is at the mean of their speeds.
    void reference(size_t count, Samples& samples) {
        std::vector<double> speeds(count, 0.0);
        for (int index = 0; index < workers; ++index) {
            Samples on_core;
            set_priority(priority + 1);
            if (!allowed.empty())
                set_cores({allowed[size_t(index) % allowed.size()]});
            back_to_back(count, on_core, [&] { run_in_order(); });
            set_cores(allowed);
            set_priority(priority);
            for (size_t run = 0; run < count; ++run)
                speeds[run] += 1.0 / double(std::max<uint64_t>(on_core[run], 1));
        }
        for (double speed : speeds)
            samples.push_back(uint64_t(workers / speed));
    }

    template <class Run> void steady(Run& run) {
        Samples references, makespan;
        references.reserve(runs + TURNS);
        makespan.reserve(runs + TURNS);
        for (size_t turn = 0; turn < TURNS; ++turn) {
            reference((runs + 2 * TURNS - 1) / (2 * TURNS), references);
            back_to_back((runs + TURNS - 1) / TURNS, makespan, run);
        }
        print("reference_ns", references);
        print("makespan_ns", makespan);
    }

    // The reference has the graph's own durations, so that it shows how fast the machine is.
    template <class Run> void varied(Run& run) {
        std::vector<std::vector<uint64_t>> rows;
        std::ifstream file(value("--durations"));
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            rows.emplace_back();
            for (uint64_t duration; words >> duration;)
                rows.back().push_back(duration);
            if (rows.back().size() != tasks.size())
                fail("--durations needs a line per run, with a duration for every task");
        }
        Samples references, makespan;
        const size_t turn = std::max<size_t>((rows.size() + TURNS - 1) / TURNS, 1);
        for (size_t index = 0; index < rows.size(); ++index) {
            if (index % turn == 0) {
                for (size_t task = 0; task < tasks.size(); ++task)
                    take(task, tasks[task].duration_ns);
                reference(2, references);
            }
            for (size_t task = 0; task < tasks.size(); ++task)
                take(task, rows[index][task]);
            uint64_t begin = monotonic_ns();
            run();
            makespan.push_back(monotonic_ns() - begin);
        }
        print("reference_ns", references);
        print("makespan_ns", makespan);
    }

    template <class Run> void periodic(Run& run) {
        Samples references, makespan, first_task, start;
        for (Samples* samples : {&makespan, &first_task, &start})
            samples->reserve(runs);
        reference(TURNS, references);
        warm_up_waiting(run);
        if (mode == "together")
            await_start();
        uint64_t due = monotonic_ns() + period_ns;
        for (size_t index = 0; index < runs; ++index) {
            wait(due, EARLINESS_NS);
            uint64_t started = monotonic_ns();
            note_first = true;
            first = 0;
            run();
            uint64_t ended = monotonic_ns();
            note_first = false;
            makespan.push_back(ended - due);
            first_task.push_back(first > due ? first - due : 0);
            start.push_back(started - due);
            do
                due += period_ns;
            while (due < ended);
        }
        if (mode != "together")
            reference(TURNS, references);
        print("reference_ns", references);
        print("makespan_ns", makespan);
        print("first_task_ns", first_task);
        print("start_ns", start);
    }

    // Waits until all contestants that run together are ready. The bench closes the input if one of them is not.
    static void await_start() {
        std::puts("ready");
        std::fflush(stdout);
        std::getchar();
    }

    // Some contestants measure the latency of the machine's timers here.
    template <class Run> void warm_up_waiting(Run& run) {
        for (size_t index = 0; index < WARM_UP_WAITS; ++index) {
            wait(monotonic_ns() + WARM_UP_WAIT_NS, EARLINESS_NS);
            run();
        }
    }

    template <class Run> void idle(Run& run) {
        warm_up_waiting(run);
        uint64_t wall = monotonic_ns(), cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID), due = wall + period_ns;
        for (size_t index = 0; index < runs; ++index, due += period_ns) {
            wait(due, 0);
            run();
        }
        std::printf("idle_cpu_ns %llu\nidle_wall_ns %llu\n",
                    (unsigned long long)(read_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu),
                    (unsigned long long)(monotonic_ns() - wall));
    }

    static void wait(uint64_t due, uint64_t earliness) {
        sleep_until_ns(due - earliness);
        while (monotonic_ns() < due)
            pause();
    }

    static void print(const char* key, const Samples& samples) {
        std::string line = key;
        for (uint64_t sample : samples)
            line += ' ' + std::to_string(sample);
        std::puts(line.c_str());
    }
};

// A graph for a pool that only knows tasks: counters of unmet dependencies around it.
class Countdown {
public:
    explicit Countdown(Contest& contest) : contest(contest), pending(contest.tasks.size()) {
        for (size_t task = 0; task < pending.size(); ++task)
            pending[task] = int(contest.tasks[task].predecessors.size());
    }

    // Runs a task, and one after the other a task that becomes ready by it; passes all others that become ready to `spawn`.
    template <class Spawn> void run_from(int task, Spawn&& spawn) {
        for (;;) {
            contest.work(task);
            int next = -1;
            for (int successor : contest.tasks[task].successors)
                if (pending[successor].fetch_sub(1, std::memory_order_acq_rel) == 1) {
                    pending[successor].store(int(contest.tasks[successor].predecessors.size()), std::memory_order_relaxed);
                    if (next >= 0)
                        spawn(next);
                    next = successor;
                }
            if (next < 0)
                return;
            task = next;
        }
    }

private:
    Contest& contest;
    std::vector<std::atomic<int>> pending;
};

} // namespace contestant

// The C library's own functions, under the names by which a program that replaces them reaches them.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
    contestant::count_allocation();
    return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
    contestant::count_allocation();
    return __libc_calloc(count, size);
}
void* realloc(void* block, size_t size) {
    contestant::count_allocation();
    return __libc_realloc(block, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    contestant::count_allocation();
    return __libc_memalign(alignment, size);
}
}
