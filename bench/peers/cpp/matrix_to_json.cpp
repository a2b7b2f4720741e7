// Matrices of 500 x 100 numbers, gathered from vectors that N threads publish, and serialised to JSON with Cereal: one queue or several,
// behind mutexes, whose consumers check every millisecond whether to end. Klepsydra compares its event loop with this.
#include "messages.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <cereal/archives/json.hpp>
#include <cereal/types/vector.hpp>
#include <cereal/version.hpp>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

using namespace messages;

constexpr size_t ROWS = 500, COLUMNS = 100, CAPACITY = 1024;

using Vector = std::array<double, COLUMNS>;

class SafeQueue {
public:
    // If it must not wait, it returns false if there is no room.
    bool push(const Vector& vector, bool waits) {
        std::unique_lock lock(mutex);
        if (waits)
            emptied.wait(lock, [&] { return queue.size() < CAPACITY; });
        else if (queue.size() == CAPACITY)
            return false;
        queue.push_back(vector);
        lock.unlock();
        filled.notify_one();
        return true;
    }

    std::optional<Vector> pop() {
        std::unique_lock lock(mutex);
        if (!filled.wait_for(lock, std::chrono::milliseconds(1), [&] { return !queue.empty(); }))
            return std::nullopt;
        Vector vector = queue.front();
        queue.pop_front();
        lock.unlock();
        emptied.notify_one();
        return vector;
    }

private:
    std::mutex mutex;
    std::condition_variable filled, emptied;
    std::list<Vector> queue;
};

class Gathering {
public:
    uint64_t vectors = 0, matrices = 0, checksum = 0;
    std::vector<uint64_t> latencies;

    Gathering() { latencies.reserve(1 << 17); }

    void handle(const Vector& vector, uint64_t received) {
        std::lock_guard lock(mutex);
        rows[row].assign(vector.begin(), vector.end());
        row = (row + 1) % ROWS;
        if (row == 0)
            serialise();
        const uint64_t end = monotonic_ns();
        ++vectors;
        checksum += uint64_t(vector[0]);
        handling += double(end - received);
        squares += double(end - received) * double(end - received);
        latencies.push_back(end - std::min(end, uint64_t(vector[COLUMNS - 1])));
    }

    uint64_t mean() const { return uint64_t(handling / double(std::max<uint64_t>(vectors, 1))); }
    uint64_t deviation() const {
        const double count = double(std::max<uint64_t>(vectors, 1)), mean = handling / count;
        return uint64_t(std::sqrt(std::max(squares / count - mean * mean, 0.0)));
    }

private:
    std::mutex mutex;
    std::vector<std::vector<double>> rows{ROWS, std::vector<double>(COLUMNS)};
    size_t row = 0;
    double handling = 0, squares = 0;

    void serialise() {
        std::ostringstream text;
        {
            cereal::JSONOutputArchive archive(text);
            archive(rows);
        }
        ++matrices;
        if (text.tellp() < std::streamoff(ROWS * COLUMNS))
            fail("the JSON is too short");
    }
};

struct Produced {
    uint64_t published = 0, refused = 0, checksum = 0;
};

// Numbers from -1000 to 1000 with all their digits.
static Vector measured_values() {
    Vector vector;
    uint64_t state = 0x9E37'79B9'7F4A'7C15;
    for (double& value : vector) {
        state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
        value = double(state >> 11) / double(uint64_t(1) << 53) * 2000.0 - 1000.0;
    }
    return vector;
}

int main(int argc, char** argv) {
    Assignment assignment(argc, argv);
    const uint64_t producers = assignment.number("producers"), rate_hz = assignment.number("rate-hz");
    const bool waits = rate_hz == 0, several = assignment.contestant == "multi-cereal";
    if (!several && assignment.contestant != "single-cereal")
        fail("no contestant `" + assignment.contestant + "` here");
    const std::string version = "Cereal " + std::to_string(CEREAL_VERSION_MAJOR) + "." +
                                std::to_string(CEREAL_VERSION_MINOR) + "." + std::to_string(CEREAL_VERSION_PATCH);
    assignment.introduce(version, waits ? Scheduling::TimeSharing : Scheduling::RealTime);

    Gathering gathering;
    std::vector<std::unique_ptr<SafeQueue>> queues;
    for (uint64_t index = 0; index < (several ? producers : 1); ++index)
        queues.push_back(std::make_unique<SafeQueue>());
    std::atomic<bool> over{false};
    std::vector<std::thread> consumers;
    for (auto& queue : queues)
        consumers.emplace_back([&] {
            for (;;) {
                const bool is_over = over;
                if (auto vector = queue->pop())
                    gathering.handle(*vector, monotonic_ns());
                else if (is_over)
                    break;
            }
        });

    const Usage before = Usage::now();
    const uint64_t begin = monotonic_ns();
    const uint64_t period = waits ? 0 : 1'000'000'000 / rate_hz;
    const uint64_t count = waits ? assignment.number("vectors") / producers : assignment.number("duration-ns") / period;
    std::vector<Produced> produced(producers);
    std::vector<std::thread> threads;
    const uint64_t sharing = waits ? producers : assignment.number("producer-threads");
    std::barrier barrier(static_cast<std::ptrdiff_t>(sharing));
    for (uint64_t thread = 0; thread < sharing; ++thread)
        threads.emplace_back([&, thread] {
            Vector vector = measured_values();
            if (waits)
                barrier.arrive_and_wait();
            for (uint64_t sequence = 0; sequence < count; ++sequence)
                // In the order of their due times.
                for (uint64_t index = thread; index < producers; index += sharing) {
                    SafeQueue& queue = *queues[index % queues.size()];
                    if (!waits)
                        sleep_until_ns(begin + 20'000'000 + index * period / producers + sequence * period);
                    vector[0] = double(sequence);
                    vector[COLUMNS - 1] = double(monotonic_ns());
                    if (queue.push(vector, waits)) {
                        ++produced[index].published;
                        produced[index].checksum += sequence;
                    } else {
                        ++produced[index].refused;
                    }
                }
        });
    for (std::thread& thread : threads)
        thread.join();
    const uint64_t producing = monotonic_ns() - begin;
    const Usage after = Usage::now();
    over = true;
    for (std::thread& thread : consumers)
        thread.join();
    const uint64_t end = monotonic_ns();

    Produced all;
    for (const Produced& one : produced) {
        all.published += one.published;
        all.refused += one.refused;
        all.checksum += one.checksum;
    }
    check(gathering.vectors, all.published, "vectors that were handled");
    check(gathering.checksum, all.checksum, "the sum of what was handled");
    check(gathering.matrices, all.published / ROWS, "matrices that were serialised");
    print("lost", {all.refused});
    if (waits) {
        print("vectors_per_s", {uint64_t(double(all.published) * 1e9 / double(end - begin))});
    } else {
        print("cpu_ppm", {(after.cpu_ns - before.cpu_ns) * 1'000'000 / producing});
        print("sleeps_per_s", {(after.sleeps - before.sleeps) * 1'000'000'000 / producing});
    }
    print("handling_sd_ns", {gathering.deviation()});
    print("handling_mean_ns", {gathering.mean()});
    print("latency_ns", gathering.latencies);
}
