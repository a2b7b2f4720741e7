// One topic, N modules that listen to it, M messages, one thread: Boost.Signals2, with its mutex and without, and a vector of functions.
// The same while modules come and go.
#include "messages.hpp"

#include <boost/signals2.hpp>
#include <boost/version.hpp>
#include <algorithm>
#include <functional>
#include <malloc.h>
#include <memory>
#include <new>

using namespace messages;

// The memory of a repetition that is not timed: how often it allocates, and the most bytes that it
// holds at the same time.
static struct Memory {
    bool counting = false;
    uint64_t allocations = 0;
    int64_t held = 0, most_held = 0;

    void change(int64_t bytes) {
        held += bytes;
        most_held = std::max(most_held, held);
    }
} memory;

[[gnu::noinline]] void* operator new(size_t size) {
    void* block = std::malloc(size);
    if (block == nullptr)
        throw std::bad_alloc();
    if (memory.counting) {
        memory.allocations += 1;
        memory.change(int64_t(malloc_usable_size(block)));
    }
    return block;
}

[[gnu::noinline]] void operator delete(void* block) noexcept {
    if (memory.counting)
        memory.change(-int64_t(malloc_usable_size(block)));
    std::free(block);
}

void operator delete(void* block, size_t) noexcept { operator delete(block); }

struct Message {
    uint64_t sequence, padding;
};

struct Module {
    uint64_t count = 0, sum = 0;

    void take(const Message& message) {
        count += 1;
        sum += message.sequence;
    }
};

using Sent = std::shared_ptr<const Message>;

struct Functions {
    std::vector<std::function<void(const Sent&)>> listeners;

    template <class Listener> void connect(Listener&& listener) { listeners.emplace_back(listener); }

    void operator()(const Sent& message) {
        for (auto& listener : listeners)
            listener(message);
    }
};

constexpr uint64_t WARM_UP_NS = 20'000'000;

struct Times {
    uint64_t begin, sending, delivered, end;
};

template <class Topic> Times run(std::unique_ptr<Topic> topic, std::vector<Module>& modules, uint64_t messages) {
    Times times;
    times.begin = monotonic_ns();
    for (Module& module : modules)
        topic->connect([module = &module](const Sent& message) { module->take(*message); });
    times.sending = monotonic_ns();
    for (uint64_t sequence = 0; sequence < messages; ++sequence)
        (*topic)(std::make_shared<const Message>(Message{sequence, 0}));
    times.delivered = monotonic_ns();
    topic.reset();
    times.end = monotonic_ns();
    for (Module& module : modules) {
        check(module.count, messages, "deliveries to a module");
        check(module.sum, messages * (messages - 1) / 2, "sum of what was delivered");
        module = Module{};
    }
    return times;
}

template <class Topic> void measure(const Assignment& assignment) {
    const uint64_t messages = assignment.number("messages");
    std::vector<Module> modules(assignment.number("modules"));
    std::vector<uint64_t> total, delivery;
    const uint64_t started = monotonic_ns(), repetitions = assignment.number("repetitions");
    while (total.size() < repetitions) {
        const Times times = run(std::make_unique<Topic>(), modules, messages);
        // Or it takes so long that warming up does not matter.
        if (times.begin - started >= WARM_UP_NS || times.end - times.begin >= 10 * WARM_UP_NS) {
            total.push_back(times.end - times.begin);
            delivery.push_back((times.delivered - times.sending) * 1000 / (messages * modules.size()));
        }
    }
    memory.counting = true;
    run(std::make_unique<Topic>(), modules, messages);
    memory.counting = false;
    print("total_ns", total);
    print("delivery_ps", delivery);
    print("peak_bytes", {uint64_t(memory.most_held)});
    print("allocations", {memory.allocations});
}

// In every turn, a module leaves, another one joins, and a message is delivered to all that are
// there.
template <class Topic> void come_and_go(const Assignment& assignment) {
    constexpr uint64_t WARM_UP = 1000;
    const uint64_t present = assignment.number("modules"), sent = WARM_UP + assignment.number("turns");
    // One module more than there are at a time: the one that has left comes back in the next turn.
    std::vector<Module> modules(present + 1), missed(present + 1);
    std::vector<boost::signals2::connection> places(present + 1);
    auto topic = std::make_unique<Topic>();
    const auto join = [&](uint64_t index) {
        places[index] = topic->connect([module = &modules[index]](const Sent& message) { module->take(*message); });
    };
    for (uint64_t index = 0; index < present; ++index)
        join(index);
    uint64_t absent = present;
    std::vector<uint64_t> changes, deliveries;
    for (uint64_t sequence = 0; sequence < sent; ++sequence) {
        const uint64_t next = (absent + 1) % modules.size();
        const uint64_t begin = monotonic_ns();
        places[next].disconnect();
        join(absent);
        const uint64_t changed = monotonic_ns();
        (*topic)(std::make_shared<const Message>(Message{sequence, 0}));
        const uint64_t delivered = monotonic_ns();
        absent = next;
        missed[absent].take(Message{sequence, 0});
        if (sequence >= WARM_UP) {
            changes.push_back(changed - begin);
            deliveries.push_back(delivered - changed);
        }
    }
    topic.reset();
    for (uint64_t index = 0; index < modules.size(); ++index) {
        check(modules[index].count, sent - missed[index].count, "deliveries to a module");
        check(modules[index].sum, sent * (sent - 1) / 2 - missed[index].sum, "sum of what was delivered");
    }
    print("change_ns", changes);
    print("message_ns", deliveries);
}

int main(int argc, char** argv) {
    namespace s2 = boost::signals2;
    using Signature = void(const Sent&);
    using Locked = s2::signal<Signature>;
    using Unlocked = s2::signal_type<Signature, s2::keywords::mutex_type<s2::dummy_mutex>>::type;

    Assignment assignment(argc, argv);
    const bool boost = assignment.contestant != "functions";
    assignment.introduce(boost ? "Boost " BOOST_LIB_VERSION : "std", Scheduling::TimeSharing);
    const bool changes = assignment.workload == "come-and-go";
    if (assignment.contestant == "signals2")
        changes ? come_and_go<Locked>(assignment) : measure<Locked>(assignment);
    else if (assignment.contestant == "signals2-dummy")
        changes ? come_and_go<Unlocked>(assignment) : measure<Unlocked>(assignment);
    else if (assignment.contestant == "functions")
        measure<Functions>(assignment);
    else
        fail("no contestant `" + assignment.contestant + "` here");
}
