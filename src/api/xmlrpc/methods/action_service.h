#pragma once

#include "api/rest/job_detail_reader.h"
#include "api/xmlrpc/methods/rest_operation_caller.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/content/content_store.h"
#include "services/fleet/system_profile_store.h"
#include "services/fleet/target_resolver.h"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {

// An action of the compatible API: a job with its 32-bit number.
struct action {
    compatibility::numeric_id id;
    jobs::stored_job job;

    static constexpr std::int64_t archived = 1;  // marks
    static constexpr std::int64_t deleted = 2;

    // The step of a chain on one system; 0 if the action is not a step.
    std::size_t step() const;
    std::optional<system_number> only_system() const;
};

// The name under which the number of a chain step is stored.
std::string step_name(job_id job, std::size_t step, std::int64_t system);

// A request to run a function on systems.
struct action_request {
    std::string function;
    boost::json::object arguments;
    std::vector<std::int64_t> systems;
    std::string name;                        // shown in lists of actions
    std::optional<wall_time> earliest = {};  // a past time means now
    std::optional<std::chrono::seconds> timeout = {};
    // Whether the action waits for the maintenance windows of its systems.
    enum class window_mode { respect, ignore } windows = window_mode::respect;
    std::optional<std::int64_t> number = {};  // a number that was allocated before
    std::string idempotency_key = {};  // same key and user: same job; empty: always a new job
};
struct created_action {
    std::int64_t number = 0;
    job_id job;
};

inline constexpr std::int64_t action_not_found = 2700;
inline constexpr std::int64_t systems_of_action_max = 10'000;

// Creates actions and finds them by number. Methods that use it need the right jobs.run or
// jobs.read with `scope::filtered`. Thread-safe.
class action_service {
public:
    struct dependencies {
        const rest_operation_caller& operations;
        compatibility::numeric_id_store& numbers;
        const api::job_detail_reader& reader;
        const fleet::target_resolver& targets;
        const content::content_store& channels;
        muster::clock& clock;
        const fleet::system_profile_store* profiles = nullptr;  // null: no system is locked
    };

    explicit action_service(dependencies deps) : deps_(std::move(deps)) {}

    // Creates a job through the REST operation, which checks systems, function, rights and
    // maintenance windows. Returns the number of the action.
    async<std::int64_t> create(call call, action_request request) const;
    async<created_action> create_action(call call, action_request request) const;

    // errc::conflict names the first locked system.
    result<void> check_unlocked(const std::vector<std::int64_t>& systems) const;

    // errc::not_found also for actions that are deleted or not visible to the caller.
    async<action> find(call call, std::int64_t number) const;
    // Returns the jobs as actions with their numbers, in the same order.
    async<std::vector<action>> number_all(std::vector<jobs::stored_job> jobs) const;

    const dependencies& deps() const { return deps_; }

private:
    async<std::int64_t> number_of(std::string job, std::int64_t reserved) const;

    dependencies deps_;
};

// The shape of an action number.
api::shape action_id();

// The numbers of an argument that is a number or a list; sorted, without duplicates.
std::vector<std::int64_t> read_integers(const call& call, std::string_view argument);

}  // namespace muster::xmlrpc_api
