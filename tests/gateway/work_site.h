#pragma once

// The compatible API with jobs, windows and schedules behind it; nodes are what the test writes
// into the ledger.
#include "tests/gateway/compat_site.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::compat::test {

inline std::string moment(const char* of) {
    return "<dateTime.iso8601>" + std::string(of) + "</dateTime.iso8601>";
}
inline const std::string long_ago = moment("20200101T00:00:00");
inline const std::string far_off = moment("20990101T00:00:00");

inline std::string texts(const std::vector<std::string>& all) {
    std::string made = "<array><data>";
    for (const auto& each : all) made += "<value>" + text(each) + "</value>";
    return made + "</data></array>";
}

inline std::string record(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string made = "<struct>";
    for (const auto& [name, of] : members)
        made += "<member><name>" + name + "</name><value>" + of + "</value></member>";
    return made + "</struct>";
}

inline std::string fault_code(int code) {
    return "<name>faultCode</name><value><i4>" + std::to_string(code) + "</i4>";
}

// The number that an answer is.
inline std::int64_t number_in(const std::string& answer) {
    INFO(answer);
    REQUIRE(!answer.contains("fault"));
    const auto from = answer.find("<i4>");
    REQUIRE(from != std::string::npos);
    return std::stoll(answer.substr(from + 4));
}

struct work_site : compat_site {
    std::string key = log_in();

    std::int64_t run(const std::string& systems, const std::string& when = long_ago) {
        return number_in(call(
            "system.scheduleScriptRun",
            {key,
             systems,
             text("root"),
             text("root"),
             number(60),
             text("#!/bin/sh\necho hello"),
             when}));
    }
    job_id job_of(std::int64_t action) {
        const auto known = answer_of(numbers_of.find("action", action)).value();
        return parse_job_id(known.name.substr(0, known.name.find('/'))).value();
    }
    // As a node does.
    void end(
        std::int64_t action, std::int64_t system, task_state state, const std::string& payload) {
        task_record task;
        task.job = job_of(action);
        task.system = system;
        task.state = state;
        task.picked_up = time.wall();
        task.ended = time.wall();
        task.exit_code = state == task_state::failed ? 3 : 0;
        task.inline_payload = payload;
        task.node = "n1";
        table::batch one;
        one.writes.push_back(
            {.table = std::string(cluster::tasks_table),
             .rows = {jobs::encode_task(task)},
             .existing = table::replace_if_grows{"rank"}});
        REQUIRE(answer_of(records->write(std::move(one))).has_value());
        REQUIRE(answer_of(board.catch_up()).has_value());
    }
    // How many actions a list has.
    std::size_t listed(const std::string& which) {
        return count(call("schedule." + which, {key}), "<struct>");
    }
    std::size_t systems_of(const std::string& which, std::int64_t action) {
        return count(call("schedule." + which, {key, number(action)}), "<struct>");
    }
};

}  // namespace muster::compat::test
