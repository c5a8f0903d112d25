#pragma once

#include "base/prng.h"
#include "roles/node/dispatch/grant_reconciler.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/jobs/job_supervisor.h"
#include "services/jobs/quota_allocator.h"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::harness {
class temporary_directory;
}

// Two nodes and a coordinator in one process, over a real metastore and a real ledger, and agents
// that take their tasks, finish them when the test says, and keep their reports until they are
// taken.
namespace muster::dispatch {

using namespace std::chrono_literals;

// Windows that are open at all times.
class open_windows final : public window_source {
public:
    windows::window_admission check(
        const fleet::system_set& systems, const measured_duration& expected) override;
    async<measured_duration> measure(job_spec work) override;
};

class small_cluster {
public:
    explicit small_cluster(unsigned systems);
    ~small_cluster();

    void start(const std::string& node);
    void kill(const std::string& node);
    void start_chief() { chief_ = std::make_unique<chief>(*this); }
    void kill_chief();
    // The driver gave it up: its slots are the other's.
    void give_up(const std::string& node, const std::string& heir);
    // Every agent connects to the node that has its slot, if it is there.
    void attach_all();

    job_record make(rollout_options rollout);
    void until(const std::function<bool()>& holds);
    void finish_one();  // any task that runs
    void finish_one_of(const std::string& node);
    void work_through(job_id job);  // until the job has ended
    void finish_at_once() { at_once_ = true; }

    std::size_t running() const { return running_.size(); }
    std::size_t running_of(const std::string& node) const;  // that this node started
    std::size_t most() const { return most_; }              // that ever ran at once
    std::size_t finished() const { return finished_.size(); }
    const std::vector<instant>& starts() const { return starts_; }
    std::size_t run_twice() const { return twice_; }
    std::vector<std::string> quota_keys();
    kv::revision revision();

private:
    using task = std::pair<unsigned, std::uint32_t>;  // system, attempt; there is one job
    struct process final : connection_sender {
        small_cluster& of;
        std::string name;
        task_inbox inbox;
        open_windows windows;
        jobs::open_job_cache book;
        dispatcher node;
        grant_reconciler grants;
        runtime::task_group tasks;

        process(small_cluster& in, const std::string& node_name);
        void send(std::vector<outgoing> frames) override;
    };
    struct chief {
        jobs::open_job_cache book;
        jobs::task_state_cache board;
        jobs::job_supervisor job_supervisor;
        jobs::quota_allocator quotas;
        runtime::task_group tasks;

        explicit chief(small_cluster& in);
    };

    static fingerprint print_of(unsigned number);
    void publish();
    void stop(runtime::task_group& tasks);
    void hear(const std::string& from, const outgoing& outgoing);
    void say(unsigned system, muster::agent_protocol::Frame frame);
    void report(unsigned system, std::uint32_t attempt);
    void finish(task task);
    std::string owner_of(unsigned system) const;

    boost::asio::io_context loop_;  // outlives the engines, whose threads answer to it
    std::unique_ptr<harness::temporary_directory> where_;
    runtime::system_clock clock_;
    runtime::logger log_{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records_;
    std::unique_ptr<metastore> store_;
    fleet::system_cache systems_;
    cluster::topology_cache topology_;
    cluster::lease_guard lease_;
    std::unique_ptr<jobs::job_store> jobs_;
    unsigned count_;
    prng random_{7};
    unsigned beginnings_ = 0;

    std::map<std::string, node_number> numbers_{
        {"alpha", node_number(1)}, {"beta", node_number(2)}};
    std::set<std::string> given_up_;
    placement::slot_table table_;
    kv::revision published_;
    std::map<std::string, std::unique_ptr<process>> up_;
    std::unique_ptr<chief> chief_;

    // The agents.
    job_id job_;
    bool at_once_ = false;
    std::map<unsigned, std::string> attached_;
    std::map<task, std::string> running_;  // by whom it was started
    std::set<task> finished_;
    std::set<task> untaken_;  // finished, and nobody said that it was taken
    std::set<unsigned> ran_;
    std::size_t twice_ = 0;
    std::size_t most_ = 0;
    std::vector<instant> starts_;
};

}  // namespace muster::dispatch
