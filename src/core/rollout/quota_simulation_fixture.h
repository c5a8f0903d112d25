#pragma once

#include "base/prng.h"
#include "core/rollout/grant.h"
#include "core/rollout/quota.h"
#include "core/rollout/task_scheduler.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

// A simulated cluster for the property test of quotas: metastore, ledger and slot table as plain
// data, nodes with real schedulers, and an unreliable network.
namespace muster::rollout {

class quota_simulation {
public:
    enum class fault { none, forgets_the_gone, no_plan_key };

    explicit quota_simulation(std::uint64_t seed, fault planted = fault::none);

    void any_step();     // one random action
    void quiet_round();  // each node acts once, and no message is lost

    std::uint64_t limit() const { return limit_; }
    std::uint64_t running() const { return running_.size(); }
    std::uint64_t charged() const;  // sum of the recorded ceilings
    bool all_done() const;

private:
    static constexpr std::size_t slots = 6;
    static constexpr std::size_t nodes = 4;
    static constexpr std::int64_t systems_a_slot = 20;
    static constexpr std::int64_t systems = std::int64_t{slots} * systems_a_slot;

    enum class action {
        crash,
        give_up,
        move,
        follow,
        look,
        offer,
        report,
        plan,
        finish,
        bring,
        lose,
        deliver
    };
    static constexpr std::size_t actions = 12;

    struct row {  // of the ledger
        task_state state = task_state::queued;
        std::size_t starter = 0;
    };
    struct fence {  // who may write rows of a slot
        std::int64_t epoch = 0;
        std::string process;
        friend bool operator==(const fence&, const fence&) = default;
    };
    struct slot_entry {  // of the slot table
        std::size_t node = 0;
        std::int64_t epoch = 1;
    };
    struct process {
        process(std::string process_name, scheduler_options options, std::int64_t epoch)
            : name(std::move(process_name)), machine(std::move(options)), holder(name, epoch) {}
        std::string name;
        task_scheduler machine;
        grant_holder holder;
        std::int64_t epoch = 0;                     // of the table it follows
        std::map<std::size_t, std::int64_t> owned;  // slot, epoch
    };
    struct server {
        std::unique_ptr<process> up;
        bool gone = false;
        std::int64_t changed = 1;
    };
    struct kept_grant {
        grant value;
        std::int64_t revision = 0;
    };
    struct coordinator {
        std::map<std::size_t, share_report> reports;
    };

    static std::size_t slot_of(std::int64_t system) {
        return static_cast<std::size_t>(system / systems_a_slot);
    }
    static node_id name_of(std::size_t node) { return node_id("n" + std::to_string(node)); }

    void draw_weights();
    action any_action();
    using delivery = std::function<void()>;
    struct message {
        delivery deliver;
        bool may_be_lost = true;
    };
    void send(delivery deliver) { network_.push_back({std::move(deliver)}); }
    void send_surely(delivery deliver) { network_.push_back({std::move(deliver), false}); }
    void lose_message();
    void deliver(std::size_t index);
    void deliver_some();
    process* alive(std::size_t node, const std::string& name);

    void boot(std::size_t node);
    void crash(std::size_t node) { servers_[node].up.reset(); }
    void give_up(std::size_t node);
    void move(std::size_t slot, std::size_t target);
    void follow_table(std::size_t node);
    share load(process& process, std::size_t node, std::size_t slot);
    void attach(process& process, std::size_t node, std::size_t slot);
    void look_at_record(std::size_t node);
    void use_grant(std::size_t node, process& process);
    void offer(std::size_t node);
    void report(std::size_t node);
    void plan(std::size_t index);
    std::vector<node_view> views(const coordinator& coordinator) const;
    void finish_one();
    void bring_return(std::int64_t system);
    void perform(std::size_t node, const effects& effects);
    void record_start(std::size_t node, start start);
    void arrives_at_agent(std::int64_t system);

    prng random_;
    std::array<std::uint64_t, actions> weights_{};
    fault planted_;
    std::uint64_t limit_;
    instant now_ = instant(std::chrono::hours(1));
    job_id job_ = job_id(1);

    std::int64_t epoch_ = 1;
    std::array<slot_entry, slots> table_;
    std::array<fence, slots> fences_;
    std::array<row, static_cast<std::size_t>(systems)> ledger_;
    std::array<std::vector<kept_grant>, nodes> grants_;  // every version, the last one stands
    std::int64_t revision_ = 0;
    std::int64_t plan_revision_ = 0;

    std::array<server, nodes> servers_;
    std::array<coordinator, 2> coordinators_;
    std::uint64_t processes_ = 0;
    std::set<std::int64_t> running_;   // on agents
    std::set<std::int64_t> finished_;  // on agents; the return waits for its ack
    std::vector<message> network_;
};

}  // namespace muster::rollout
