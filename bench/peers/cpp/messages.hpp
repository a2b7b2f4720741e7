// The parts that C++ contestants of the bench of messages share: the command line, the output, the scheduling. The same
// as `messages` in the crate in bench/contestant, which explains the workloads. Each contestant is one translation unit that includes this
// once.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <map>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace messages {

[[noreturn]] inline void fail(const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(2);
}

inline void check(uint64_t found, uint64_t expected, const char* what) {
    if (found != expected)
        fail(std::string(what) + ": " + std::to_string(found) + ", not " + std::to_string(expected));
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

// The resources that all threads have used since the process began.
struct Usage {
    uint64_t cpu_ns, sleeps;

    static Usage now() {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return {read_clock(CLOCK_PROCESS_CPUTIME_ID), uint64_t(usage.ru_nvcsw)};
    }
};

enum class Scheduling { TimeSharing, RealTime };

class Assignment {
public:
    // NAME --workload WORKLOAD --key NUMBER ...
    Assignment(int argc, char** argv) {
        if (argc < 2)
            fail("the contestant's name is missing");
        contestant = argv[1];
        for (int index = 2; index + 1 < argc; index += 2) {
            std::string key = argv[index];
            if (key == "--workload")
                workload = argv[index + 1];
            else
                numbers[key] = std::strtoull(argv[index + 1], nullptr, 10);
        }
    }

    std::string contestant, workload;

    uint64_t number(const std::string& key) const {
        auto found = numbers.find("--" + key);
        if (found == numbers.end())
            fail("--" + key + " NUMBER is missing");
        return found->second;
    }

    // Prints the name and version of the contestant; must be called before any other thread is made.
    void introduce(const std::string& version, Scheduling scheduling) const {
        std::printf("contestant %s %s, g++ %d.%d.%d\n", contestant.c_str(), version.c_str(), __GNUC__, __GNUC_MINOR__,
                    __GNUC_PATCHLEVEL__);
        if (scheduling == Scheduling::RealTime) {
            keep_to_two_cores();
            sched_param parameters{};
            parameters.sched_priority = 80;
            const bool granted = sched_setscheduler(0, SCHED_FIFO, &parameters) == 0;
            std::printf("granted %s\n", granted ? "SCHED_FIFO 80" : "time sharing");
        } else {
            // A session of its own, before all others where that is allowed.
            setsid();
            std::ofstream autogroup("/proc/self/autogroup");
            autogroup << "-20" << std::flush;
            std::printf("granted time sharing%s\n", autogroup ? ", before all others" : "");
        }
    }

private:
    std::map<std::string, uint64_t> numbers;

    static void keep_to_two_cores() {
        cpu_set_t allowed, chosen;
        CPU_ZERO(&chosen);
        if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
            return;
        for (int core = 0, count = 0; core < CPU_SETSIZE && count < 2; ++core)
            if (CPU_ISSET(core, &allowed)) {
                CPU_SET(core, &chosen);
                ++count;
            }
        sched_setaffinity(0, sizeof chosen, &chosen);
    }
};

inline void print(const char* key, const std::vector<uint64_t>& values) {
    std::printf("%s", key);
    for (uint64_t value : values)
        std::printf(" %llu", (unsigned long long)value);
    std::printf("\n");
}

} // namespace messages
