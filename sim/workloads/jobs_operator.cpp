#include "sim/workloads/jobs_operator.h"

#include <fmt/format.h>

#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

const jobs::change_origin origin{.user = "operator", .note = {}};

result<void> without_value(const result<job_record>& changed) {
    if (!changed) return fail(changed.error());
    return {};
}

}  // namespace

jobs_operator::jobs_operator(process& self, std::shared_ptr<jobs_server> server, options options)
    : self_(self),
      server_(std::move(server)),
      options_(std::move(options)),
      random_(self.simulation().random("deeds of " + self.name())) {}

boost::asio::awaitable<void> jobs_operator::run() {
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    while (!options_.winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random_.below(2 * think));
        ignore_error(co_await self_.clock().sleep_for(pause), "never cancelled");
        const bool may_create = server_->open_jobs().all().size() < open_jobs_max;
        if (may_create && random_.chance(600)) {
            const auto result = co_await create_job();
            options_.did(result.has_value());
        } else {
            ignore_error(co_await change_job(), "the job may have ended meanwhile");
            options_.did(false);
        }
    }
}

async<void> jobs_operator::create_job() {
    const auto& kind = options_.kinds->at(random_.below(options_.kinds->size()));
    jobs::job_service::new_job new_job{.spec = kind.spec, .targets = kind.targets};
    if (kind.starts_in)
        new_job.spec.not_before =
            self_.clock().wall() + std::chrono::floor<std::chrono::microseconds>(*kind.starts_in);
    const auto open = server_->open_jobs().all();
    if (!open.empty() && random_.chance(100))
        new_job.spec.parents = {open[random_.below(open.size())]->record.job};
    if (random_.chance(500)) {
        new_job.idempotency_key = fmt::format("{} {}", self_.name(), random_.next());
        new_job.digest = kind.name;
    }
    auto created = co_await server_->job_service().create(new_job);
    // With an idempotency key, repeating the request gives the same job.
    if (!created && new_job.idempotency_key)
        created = co_await server_->job_service().create(new_job);
    if (!created) co_return fail(created.error());
    co_return result<void>();
}

async<void> jobs_operator::change_job() {
    const auto open = server_->open_jobs().all();
    if (open.empty()) co_return result<void>();
    const auto job = open[random_.below(open.size())]->record.job;
    auto& job_service = server_->job_service();
    const auto dice = random_.below(100);
    if (dice < 30) co_return without_value(co_await job_service.pause(job, origin));
    if (dice < 70) co_return without_value(co_await job_service.resume(job, origin));
    if (dice < 80)
        co_return without_value(
            co_await job_service.cancel(job, jobs::running_task_policy::finish, origin));
    if (dice < 95)
        co_return without_value(
            co_await job_service.cancel(job, jobs::running_task_policy::kill, origin));
    options_.invariants->released(
        job);  // before it is tried: it may be so although it seems to have failed
    co_return without_value(co_await job_service.release(job, origin));
}

}  // namespace muster::sim
