// oneTBB, three ways: `flow`, a flow graph; `flow-priorities`, the same with priorities set by hand from the critical path;
// `task-group`, counters around a task group.
#include "contestant.hpp"

#include <memory>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

namespace flow = oneapi::tbb::flow;

enum class Priorities { none, critical_path };

struct FlowGraph {
    using Node = flow::continue_node<flow::continue_msg>;
    flow::graph graph;
    std::vector<std::unique_ptr<Node>> nodes;
    const std::vector<int>& roots;

    FlowGraph(contestant::Contest& contest, Priorities priorities) : roots(contest.roots) {
        std::vector<uint64_t> ranks;
        for (const auto& task : contest.tasks)
            ranks.push_back(task.remaining_ns);
        std::sort(ranks.begin(), ranks.end());
        for (size_t task = 0; task < contest.tasks.size(); ++task) {
            auto body = [&contest, task](const flow::continue_msg& message) {
                contest.work(int(task));
                return message;
            };
            if (priorities == Priorities::none) {
                nodes.push_back(std::make_unique<Node>(graph, body));
            } else {
                auto rank = std::lower_bound(ranks.begin(), ranks.end(), contest.tasks[task].remaining_ns) - ranks.begin();
                nodes.push_back(std::make_unique<Node>(graph, body, flow::node_priority_t(rank + 1)));
            }
        }
        for (size_t task = 0; task < contest.tasks.size(); ++task)
            for (int next : contest.tasks[task].successors)
                flow::make_edge(*nodes[task], *nodes[next]);
    }

    void run() {
        for (int root : roots)
            nodes[root]->try_put(flow::continue_msg());
        graph.wait_for_all();
    }
};

static void run_group(contestant::Contest& contest, contestant::Countdown& countdown) {
    oneapi::tbb::task_group group;
    std::function<void(int)> spawn = [&](int task) { group.run([&, task] { countdown.run_from(task, spawn); }); };
    for (int root : contest.roots)
        spawn(root);
    group.wait();
}

int main(int argc, char** argv) {
    contestant::Contest contest("oneTBB " + std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR), argc, argv);
    oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, size_t(contest.workers));
    oneapi::tbb::task_arena arena(contest.workers);
    arena.execute([&] {
        const std::string& way = contest.arguments.front();
        if (way == "task-group") {
            contestant::Countdown countdown(contest);
            contest.measure([&] { run_group(contest, countdown); });
        } else {
            FlowGraph graph(contest, way == "flow-priorities" ? Priorities::critical_path : Priorities::none);
            contest.measure([&] { graph.run(); });
        }
    });
}
