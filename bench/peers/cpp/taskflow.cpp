// Taskflow (headers only, from TASKFLOW_DIR). `outside`: each run is begun from a thread outside of the pool, as its examples do;
// `inside`: from one of its workers.
#include "contestant.hpp"

#include <taskflow/taskflow.hpp>

int main(int argc, char** argv) {
    contestant::Contest contest(std::string("Taskflow ") + tf::version(), argc, argv);
    tf::Executor executor(size_t(contest.workers));
    tf::Taskflow graph;
    std::vector<tf::Task> tasks;
    for (size_t task = 0; task < contest.tasks.size(); ++task)
        tasks.push_back(graph.emplace([&contest, task] { contest.work(int(task)); }));
    for (size_t task = 0; task < contest.tasks.size(); ++task)
        for (int next : contest.tasks[task].successors)
            tasks[task].precede(tasks[next]);
    if (contest.arguments.front() == "inside")
        executor.async([&] { contest.measure([&] { executor.corun(graph); }); }).wait();
    else
        contest.measure([&] { executor.run(graph).wait(); });
}
