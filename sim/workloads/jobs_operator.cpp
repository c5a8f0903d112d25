#include "sim/workloads/jobs_operator.h"

#include <fmt/format.h>

#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

const jobs::order order{.by = "operator", .note = {}};

result<void> outcome(const result<job_record>& done) {
    if (!done) return fail(done.error());
    return {};
}

}  // namespace

jobs_operator::jobs_operator(process& self, std::shared_ptr<jobs_server> through, options options)
    : self_(self),
      through_(std::move(through)),
      options_(std::move(options)),
      random_(self.where().random("deeds of " + self.name())) {}

boost::asio::awaitable<void> jobs_operator::run() {
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    while (!options_.winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random_.below(2 * think));
        ignore_error(co_await self_.clock().sleep_for(pause), "nobody cancels it");
        const bool few = through_->book().all().size() < open_jobs_max;
        if (few && random_.chance(600)) {
            const auto result = co_await make();
            options_.did(result.has_value());
        } else {
            ignore_error(co_await interfere(), "it may have ended meanwhile");
            options_.did(false);
        }
    }
}

async<void> jobs_operator::make() {
    const auto& kind = options_.kinds->at(random_.below(options_.kinds->size()));
    jobs::job_service::new_job new_job{.spec = kind.spec, .targets = kind.targets};
    if (kind.starts_in)
        new_job.spec.not_before =
            self_.clock().wall() + std::chrono::floor<std::chrono::microseconds>(*kind.starts_in);
    const auto open = through_->book().all();
    if (!open.empty() && random_.chance(100))
        new_job.spec.parents = {open[random_.below(open.size())]->record.job};
    if (random_.chance(500)) {
        new_job.claim = fmt::format("{} {}", self_.name(), random_.next());
        new_job.digest = kind.name;
    }
    auto created = co_await through_->desk().make(new_job);
    // The same request again is the same job; without a claim it would be another one.
    if (!created && new_job.claim) created = co_await through_->desk().make(new_job);
    if (!created) co_return fail(created.error());
    co_return result<void>();
}

async<void> jobs_operator::interfere() {
    const auto open = through_->book().all();
    if (open.empty()) co_return result<void>();
    const auto job = open[random_.below(open.size())]->record.job;
    auto& desk = through_->desk();
    const auto dice = random_.below(100);
    if (dice < 30) co_return outcome(co_await desk.pause(job, order));
    if (dice < 70) co_return outcome(co_await desk.resume(job, order));
    if (dice < 80) co_return outcome(co_await desk.cancel(job, jobs::running_tasks::finish, order));
    if (dice < 95)
        co_return outcome(co_await desk.cancel(job, jobs::running_tasks::are_ended, order));
    options_.rules->released(
        job);  // before it is tried: it may be so although it seems to have failed
    co_return outcome(co_await desk.release(job, order));
}

}  // namespace muster::sim
