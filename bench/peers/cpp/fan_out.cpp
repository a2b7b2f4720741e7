// One topic, N modules that listen to it, M messages, one thread: Boost.Signals2, with its mutex and without, and a vector of functions.
#include "messages.hpp"

#include <boost/signals2.hpp>
#include <boost/version.hpp>
#include <functional>
#include <memory>

using namespace messages;

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

template <class Topic> void measure(const Assignment& assignment) {
    const uint64_t messages = assignment.number("messages");
    std::vector<Module> modules(assignment.number("modules"));
    std::vector<uint64_t> total, delivery;
    const uint64_t started = monotonic_ns(), repetitions = assignment.number("repetitions");
    while (total.size() < repetitions) {
        std::fill(modules.begin(), modules.end(), Module{});
        auto topic = std::make_unique<Topic>();
        const uint64_t begin = monotonic_ns();
        for (Module& module : modules)
            topic->connect([module = &module](const Sent& message) { module->take(*message); });
        const uint64_t sending = monotonic_ns();
        for (uint64_t sequence = 0; sequence < messages; ++sequence)
            (*topic)(std::make_shared<const Message>(Message{sequence, 0}));
        const uint64_t delivered = monotonic_ns();
        topic.reset();
        const uint64_t end = monotonic_ns();
        for (const Module& module : modules) {
            check(module.count, messages, "deliveries to a module");
            check(module.sum, messages * (messages - 1) / 2, "sum of what was delivered");
        }
        // Or it takes so long that warming up does not matter.
        if (begin - started >= WARM_UP_NS || end - begin >= 10 * WARM_UP_NS) {
            total.push_back(end - begin);
            delivery.push_back((delivered - sending) * 1000 / (messages * modules.size()));
        }
    }
    print("total_ns", total);
    print("delivery_ps", delivery);
}

int main(int argc, char** argv) {
    namespace s2 = boost::signals2;
    using Signature = void(const Sent&);
    using Locked = s2::signal<Signature>;
    using Unlocked = s2::signal_type<Signature, s2::keywords::mutex_type<s2::dummy_mutex>>::type;

    Assignment assignment(argc, argv);
    const bool boost = assignment.contestant != "functions";
    assignment.introduce(boost ? "Boost " BOOST_LIB_VERSION : "std", Scheduling::TimeSharing);
    if (assignment.contestant == "signals2")
        measure<Locked>(assignment);
    else if (assignment.contestant == "signals2-dummy")
        measure<Unlocked>(assignment);
    else if (assignment.contestant == "functions")
        measure<Functions>(assignment);
    else
        fail("no contestant `" + assignment.contestant + "` here");
}
