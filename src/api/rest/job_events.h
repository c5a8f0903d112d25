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

// Position of a client in the results of a job: first the rows up to a sequence, page by page, then
// later rows. Its text is the event id and the client's Last-Event-ID.
struct result_position {
    std::int64_t sequence = 0;
    std::optional<std::string> page;  // of the rows up to the sequence; nullopt: all were sent

    friend bool operator==(const result_position&, const result_position&) = default;
};
std::string to_string(const result_position& position);
std::optional<result_position> parse_result_position(std::string_view text);

// Streams the progress of a job as server-sent events until the job has ended. Thread-safe.
//
// - `task`: a task ended without success, or any ended task with ?tasks=all. Sent at least once; a
//   client that reconnects with its last id misses none. Within a page, failures come first.
// - `progress` with changed counts; `end` with the last counts.
// ?for=30s limits the duration. The data is one JSON object with `kind` and, for tasks, `at`: the
// id to continue from.
class job_events {
public:
    job_events(const job_detail_reader& reader, const fleet::target_resolver& targets)
        : reader_(reader), targets_(targets) {}

    static std::vector<api::parameter> parameters();  // without the job
    async<reply> stream(call call, job_id job) const;

private:
    struct subscription {
        job_id job;
        result_position position;
        bool include_completed = false;   // successes, too
        std::optional<instant> deadline;  // requested by the client
    };
    struct page_outcome {
        result_position next;
        bool more = false;
    };

    async<void> send(net::http::event_writer writer, subscription subscription) const;
    async<page_outcome> send_results(
        net::http::event_writer writer, subscription subscription) const;
    async<std::vector<jobs::stored_task>> read_rows_after(job_id job, std::int64_t sequence) const;
    async<result_position> start_position() const;
    net::http::event event_of(const task_record& row, const result_position& position) const;

    const job_detail_reader& reader_;
    const fleet::target_resolver& targets_;
};

}  // namespace muster::api
