#include "roles/node/dispatch/running_task_query.h"

#include "ports/deadline.h"

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr auto response_timeout = 5s;

}  // namespace

running_task_query::pending_request::~pending_request() {
    const std::scoped_lock lock(query_.mutex_);
    query_.requests_.erase(request_);
}

std::optional<muster::agent_protocol::Running> running_task_query::pending_request::response() {
    const std::scoped_lock lock(query_.mutex_);
    return request_->response;
}

async<std::vector<listed_task>> running_task_query::list(system_number system) {
    requests::iterator it;
    {
        const std::scoped_lock lock(mutex_);
        if (requests_.size() >= requests_max)
            co_return fail(errc::unavailable, "limit of running task queries reached; retry later");
        it = requests_.emplace(requests_.end());
        it->system = system;
    }
    pending_request request(*this, it);
    muster::agent_protocol::Frame frame;
    frame.mutable_running_wanted();
    if (!sender_.send(system, std::move(frame)))
        co_return fail(errc::unavailable, "system is not attached to its node");
    const auto waited = co_await within(clock_, response_timeout, request.wait());
    if (!waited) co_return fail(waited.error().with_context("query for running tasks"));
    const auto running = request.response().value_or(muster::agent_protocol::Running());
    std::vector<listed_task> tasks;
    for (const auto& task : running.tasks())
        tasks.push_back(
            {.job = job_id(task.task().job()),
             .attempt = task.task().attempt(),
             .function = task.function(),
             .since = wall_time(std::chrono::microseconds(task.since_us())),
             .is_waiting = task.waits(),
             .progress = task.where()});
    co_return tasks;
}

void running_task_query::on_frame(
    system_number system, const muster::agent_protocol::Frame& frame) {
    if (!frame.has_running()) return;
    const std::scoped_lock lock(mutex_);
    for (auto& request : requests_) {
        if (request.system != system || request.response) continue;
        request.response = frame.running();
        request.responded.notify();
    }
}

}  // namespace muster::dispatch
