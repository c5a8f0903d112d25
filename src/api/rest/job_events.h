#pragma once

#include "adapters/net/http/events.h"
#include "api/rest/job_detail_reader.h"
#include "services/fleet/target_resolver.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

// Where in a job's returns a watcher is: first all rows up to a sequence, page by page, and then
// what is written behind it. As text it is an event's id and a client's Last-Event-ID.
struct return_position {
    std::int64_t sequence = 0;
    std::optional<std::string> page;  // of the rows up to the sequence; nothing: all were sent

    friend bool operator==(const return_position&, const return_position&) = default;
};
std::string to_string(const return_position& where);
std::optional<return_position> parse_return_position(std::string_view text);

// What becomes of a job, as server-sent events until it has ended.
//
// - `task` for a task that ended: failures and the like, or all with ?tasks=all. Each at least
//   once; a client that comes back with the last id it saw misses none. Failures come before
//   successes that came with them.
// - `progress` with the counts, when they changed, and `end` with the last ones.
// With ?for=30s it ends after that time in any case.
// The data of each is one JSON object with its `kind` and, for tasks, `at`: the id to go on from.
class job_events {
public:
    job_events(const job_detail_reader& reader, const fleet::target_resolver& targets)
        : reader_(reader), targets_(targets) {}

    static std::vector<api::parameter> parameters();  // beside the job
    async<reply> answer_to(call call, job_id job) const;

private:
    struct watch {
        job_id job;
        return_position from;
        bool all = false;              // successes too
        std::optional<instant> until;  // the watcher's timeout
    };
    struct sent_page {
        return_position next;
        bool more = false;
    };

    async<void> send(net::http::event_writer to, watch watch) const;
    async<sent_page> send_returns(net::http::event_writer to, watch watch) const;
    async<std::vector<jobs::stored_task>> rows_behind(job_id job, std::int64_t sequence) const;
    async<return_position> beginning() const;
    net::http::event event_of(const task_record& row, const return_position& at) const;

    const job_detail_reader& reader_;
    const fleet::target_resolver& targets_;
};

}  // namespace muster::api
