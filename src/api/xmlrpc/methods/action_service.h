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

// What clients of the compatible API call an action: a job, by its 32-bit number.
struct action {
    compatibility::numeric_id known;
    jobs::stored_job job;

    static constexpr std::int64_t archived = 1;  // marks
    static constexpr std::int64_t deleted = 2;

    // Of a step of a chain on one system: which; 0 of what is no step.
    std::size_t step() const;
    std::optional<system_number> only_on() const;
};

// The name that the number of a step stands for.
std::string name_of_step(job_id job, std::size_t step, std::int64_t system);

// What a method wants to be done on systems.
struct action_request {
    std::string function;
    boost::json::object arguments;
    std::vector<std::int64_t> systems;
    std::string name;                        // what lists of actions call it
    std::optional<wall_time> earliest = {};  // what is past means now
    std::optional<std::chrono::seconds> timeout = {};
    // Whether it starts within the maintenance windows of systems that have any.
    enum class windows { count, do_not_count } within = windows::count;
    std::optional<std::int64_t> number = {};  // one that was taken before
    std::string key = {};  // the same key of the same user is the same job; empty: another one
};
struct created_action {
    std::int64_t number = 0;
    job_id job;
};

inline constexpr std::int64_t no_such_action = 2700;
inline constexpr std::int64_t systems_of_action_max = 10'000;

// Makes actions out of calls and finds them again. A method that uses it needs the right jobs.run
// or jobs.read, `scope::filtered`. Thread-safe.
class action_service {
public:
    struct dependencies {
        const rest_operation_caller& natives;
        compatibility::numeric_id_store& numbers;
        const api::job_detail_reader& reader;
        const fleet::target_resolver& targets;
        const content::content_store& channels;
        muster::clock& clock;
        const fleet::system_profile_store* profiles = nullptr;  // null: no system is locked
    };

    explicit action_service(dependencies deps) : deps_(std::move(deps)) {}

    // The number of the action. It is made as the native API makes jobs: systems that are not
    // there, functions and rights are judged there, and a start outside of windows is refused.
    async<std::int64_t> make(call call, action_request action_request) const;
    async<created_action> make_job(call call, action_request action_request) const;

    // errc::conflict names the first that is locked.
    result<void> check_unlocked(const std::vector<std::int64_t>& systems) const;

    // errc::not_found also for one that the caller may not see, and for one that was deleted.
    async<action> find(call call, std::int64_t number) const;
    // Some jobs with their numbers, in the same order.
    async<std::vector<action>> number_all(std::vector<jobs::stored_job> some) const;

    const dependencies& around() const { return deps_; }

private:
    async<std::int64_t> number_of(std::string job, std::int64_t desired) const;

    dependencies deps_;
};

// An action's number, as clients send it.
api::shape action_id();

// The numbers of an argument that is a list of them, or one; each once.
std::vector<std::int64_t> integers_of(const call& call, std::string_view argument);

}  // namespace muster::xmlrpc_api
