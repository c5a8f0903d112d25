#include "roles/node/dispatch/task_lister.h"

#include "ports/deadline.h"

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr auto answer_time = 5s;

}  // namespace

task_lister::open_question::~open_question() {
    const std::scoped_lock lock(of_.guard_);
    of_.open_.erase(which_);
}

std::optional<muster::agent_protocol::Running> task_lister::open_question::answer() {
    const std::scoped_lock lock(of_.guard_);
    return which_->answer;
}

async<std::vector<listed_task>> task_lister::list(system_number system) {
    questions::iterator made;
    {
        const std::scoped_lock lock(guard_);
        if (open_.size() >= questions_max)
            co_return fail(errc::unavailable, "too many ask what agents run now; try again later");
        made = open_.emplace(open_.end());
        made->to = system;
    }
    open_question asked(*this, made);
    muster::agent_protocol::Frame frame;
    frame.mutable_running_wanted();
    if (!send_(system, std::move(frame)))
        co_return fail(errc::unavailable, "the system is not attached to its node now");
    const auto heard = co_await within(time_, answer_time, asked.wait());
    if (!heard) co_return fail(heard.error().within("asking the agent what it runs"));
    const auto said = asked.answer().value_or(muster::agent_protocol::Running());
    std::vector<listed_task> found;
    for (const auto& each : said.tasks())
        found.push_back(
            {.job = job_id(each.task().job()),
             .attempt = each.task().attempt(),
             .function = each.function(),
             .since = wall_time(std::chrono::microseconds(each.since_us())),
             .waits = each.waits(),
             .where = each.where()});
    co_return found;
}

void task_lister::heard(system_number from, const muster::agent_protocol::Frame& frame) {
    if (!frame.has_running()) return;
    const std::scoped_lock lock(guard_);
    for (auto& each : open_) {
        if (each.to != from || each.answer) continue;
        each.answer = frame.running();
        each.answered.ring();
    }
}

}  // namespace muster::dispatch
