#pragma once

#include "core/model/job.h"
#include "core/model/system.h"
#include "ports/clock.h"
#include "roles/node/dispatch/agent_sender.h"
#include "runtime/async_event.h"

#include <agent_protocol.pb.h>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::dispatch {

// A task that an agent has now.
struct listed_task {
    job_id job;
    std::uint32_t attempt = 0;
    std::string function;
    wall_time since;         // picked up
    bool waits = false;      // for a place: it does not run yet
    std::string where = {};  // for people: what it waits for, or the step of a chain it is in
};

// Asks agents what they run now. Thread-safe: channels tell it, HTTP's event loops wait for it.
class running_task_query {
public:
    static constexpr std::size_t questions_max = 100;  // at once

    running_task_query(muster::clock& clock, agent_sender& sender)
        : clock_(clock), sender_(sender) {}
    running_task_query(const running_task_query&) = delete;
    running_task_query& operator=(const running_task_query&) = delete;

    // Oldest first. errc::unavailable: it is not attached here, or too many ask. errc::timed_out:
    // it did not answer.
    async<std::vector<listed_task>> list(system_number system);

    void heard(system_number from, const muster::agent_protocol::Frame& frame);

private:
    struct question {
        system_number to;
        std::optional<muster::agent_protocol::Running> answer;
        runtime::async_event answered;
    };
    using questions = std::list<question>;

    // Taken back when nobody waits for the answer any more.
    class open_question {
    public:
        open_question(running_task_query& of, questions::iterator iterator)
            : of_(of), which_(iterator) {}
        open_question(const open_question&) = delete;
        open_question& operator=(const open_question&) = delete;
        ~open_question();

        async<void> wait() { return which_->answered.wait(); }
        std::optional<muster::agent_protocol::Running> answer();

    private:
        running_task_query& of_;
        questions::iterator which_;
    };

    muster::clock& clock_;
    agent_sender& sender_;
    std::mutex guard_;
    questions open_;
};

}  // namespace muster::dispatch
