// T threads share a queue: each adds a hundred tasks, then dequeues and runs up to a hundred. Boost.Asio, and a queue behind a mutex.
#include "messages.hpp"

#include <algorithm>
#include <barrier>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/version.hpp>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

using namespace messages;

constexpr size_t BATCH = 100;

using Task = void (*)();

static thread_local uint64_t count = 0;

static void count_task() { ++count; }

class Asio {
public:
    void add(Task task) { boost::asio::post(context, task); }
    bool run() {
        return context.poll_one() != 0;
    }

private:
    boost::asio::io_context context;
    // Keeps it from stopping, and from having to be restarted, when another thread has dequeued the last task.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work = boost::asio::make_work_guard(context);
};

class Locked {
public:
    void add(Task task) {
        std::lock_guard lock(mutex);
        queue.emplace(task);
    }
    bool run() {
        std::function<void()> task;
        {
            std::lock_guard lock(mutex);
            if (queue.empty())
                return false;
            task = std::move(queue.front());
            queue.pop();
        }
        task();
        return true;
    }

private:
    std::mutex mutex;
    std::queue<std::function<void()>> queue;
};

template <class Queue> void measure(const Assignment& assignment) {
    const uint64_t threads = assignment.number("threads"), rounds = assignment.number("rounds") / threads;
    struct Span {
        uint64_t begin, end, count;
    };
    std::vector<uint64_t> per_batch;
    for (uint64_t repetition = 0; repetition <= assignment.number("repetitions"); ++repetition) {
        Queue queue;
        std::barrier barrier(static_cast<std::ptrdiff_t>(threads));
        std::vector<Span> spans(threads);
        std::vector<std::thread> workers;
        for (Span& span : spans)
            workers.emplace_back([&] {
                auto run = [&] {
                    size_t ran = 0;
                    while (ran < BATCH && queue.run())
                        ++ran;
                    return ran;
                };
                // Hidden from the optimiser, as in a real queue.
                Task volatile task = count_task;
                barrier.arrive_and_wait();
                const uint64_t begin = monotonic_ns();
                for (uint64_t round = 0; round < rounds; ++round) {
                    for (size_t index = 0; index < BATCH; ++index)
                        queue.add(task);
                    run();
                }
                const uint64_t end = monotonic_ns();
                // Runs the tasks for which other threads were too early.
                barrier.arrive_and_wait();
                while (run() > 0) {
                }
                span = {begin, end, count};
            });
        for (std::thread& worker : workers)
            worker.join();
        uint64_t begin = UINT64_MAX, end = 0, ran = 0;
        for (const Span& span : spans) {
            begin = std::min(begin, span.begin);
            end = std::max(end, span.end);
            ran += span.count;
        }
        check(ran, rounds * threads * BATCH, "tasks that ran");
        if (repetition > 0)
            per_batch.push_back((end - begin) * 1000 / (rounds * threads));
    }
    print("batch_ps", per_batch);
}

int main(int argc, char** argv) {
    Assignment assignment(argc, argv);
    const bool asio = assignment.contestant == "asio";
    assignment.introduce(asio ? "Boost " BOOST_LIB_VERSION : "std", Scheduling::TimeSharing);
    if (asio)
        measure<Asio>(assignment);
    else if (assignment.contestant == "mutex-cpp")
        measure<Locked>(assignment);
    else
        fail("no contestant `" + assignment.contestant + "` here");
}
