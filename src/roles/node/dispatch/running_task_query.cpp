#include "roles/node/dispatch/running_task_query.h"

#include "ports/deadline.h"

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr auto answer_time = 5s;

}  // namespace

running_task_query::open_question::~open_question() {
    const std::scoped_lock lock(of_.guard_);
    of_.open_.erase(which_);
}

std::optional<muster::agent_protocol::Running> running_task_query::open_question::answer() {
    const std::scoped_lock lock(of_.guard_);
    return which_->answer;
}

async<std::vector<listed_task>> running_task_query::list(system_number system) {
    questions::iterator iterator;
    {
        const std::scoped_lock lock(guard_);
        if (open_.size() >= questions_max)
            co_return fail(errc::unavailable, "too many ask what agents run now; try again later");
        iterator = open_.emplace(open_.end());
        iterator->to = system;
    }
    open_question open_question(*this, iterator);
    muster::agent_protocol::Frame frame;
    frame.mutable_running_wanted();
    if (!sender_.send(system, std::move(frame)))
        co_return fail(errc::unavailable, "the system is not attached to its node now");
    const auto message = co_await within(clock_, answer_time, open_question.wait());
    if (!message) co_return fail(message.error().within("asking the agent what it runs"));
    const auto said = open_question.answer().value_or(muster::agent_protocol::Running());
    std::vector<listed_task> listed_tasks;
    for (const auto& task : said.tasks())
        listed_tasks.push_back(
            {.job = job_id(task.task().job()),
             .attempt = task.task().attempt(),
             .function = task.function(),
             .since = wall_time(std::chrono::microseconds(task.since_us())),
             .waits = task.waits(),
             .where = task.where()});
    co_return listed_tasks;
}

void running_task_query::heard(system_number from, const muster::agent_protocol::Frame& frame) {
    if (!frame.has_running()) return;
    const std::scoped_lock lock(guard_);
    for (auto& each : open_) {
        if (each.to != from || each.answer) continue;
        each.answer = frame.running();
        each.answered.ring();
    }
}

}  // namespace muster::dispatch
