#include "services/jobs/quota_record.h"

#include "core/rollout/plan.h"
#include "runtime/json/record_reader.h"
#include "services/cluster/keys.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::jobs {
namespace {

namespace json = boost::json;
namespace keys = cluster::keys;

std::string key_of(std::string_view prefix, const node_id& node, job_id job) {
    return keys::under(prefix, node.str()) + "/" + to_string(job);
}

std::uint64_t count(runtime::json_record_reader& in, std::string_view name) {
    const auto read = in.integer(name);
    if (read < 0) in.mark_wrong(name);
    return read < 0 ? 0 : static_cast<std::uint64_t>(read);
}

std::optional<quota_key> parse_under(
    std::string_view prefix, quota_key::kind kind, std::string_view key) {
    if (!key.starts_with(prefix)) return std::nullopt;
    key.remove_prefix(prefix.size());
    quota_key read{.what = kind, .node = {}, .job = {}};
    if (kind != quota_key::kind::plan) {
        const auto slash = key.find('/');
        if (slash == std::string_view::npos || slash == 0) return std::nullopt;
        read.node = key.substr(0, slash);
        key.remove_prefix(slash + 1);
    }
    const auto job = parse_job_id(key);
    if (!job) return std::nullopt;
    read.job = *job;
    return read;
}

}  // namespace

std::string encode(const rollout::grant& grant) {
    return json::serialize(json::object{
        {"goal_places", grant.goal.places},
        {"goal_starts_milli", grant.goal.starts_milli},
        {"ceiling_places", grant.ceiling.places},
        {"ceiling_starts_milli", grant.ceiling.starts_milli},
        {"elsewhere", grant.elsewhere},
        {"epoch", grant.epoch},
        {"holder", grant.holder}});
}

result<rollout::grant> decode_grant(std::string_view text) {
    TRY(auto in, runtime::json_record_reader::of("grant", text));
    rollout::grant read;
    read.goal = {
        .places = count(in, "goal_places"), .starts_milli = count(in, "goal_starts_milli")};
    read.ceiling = {
        .places = count(in, "ceiling_places"), .starts_milli = count(in, "ceiling_starts_milli")};
    read.elsewhere = count(in, "elsewhere");
    read.epoch = in.integer("epoch");
    read.holder = in.text("holder");
    return in.finish(std::move(read));
}

std::string encode(const rollout::share_report& share_report) {
    json::object charged;
    for (const auto& [node, tasks] : share_report.charged) charged[node.str()] = tasks;
    return json::serialize(json::object{
        {"epoch", share_report.epoch},
        {"startable", share_report.startable},
        {"used", share_report.used},
        {"unsettled", share_report.unsettled},
        {"charged", std::move(charged)}});
}

result<rollout::share_report> decode_share_report(std::string_view text) {
    TRY(auto in, runtime::json_record_reader::of("share report", text));
    rollout::share_report read;
    read.epoch = in.integer("epoch");
    read.startable = count(in, "startable");
    read.used = count(in, "used");
    read.unsettled = in.integer("unsettled");
    for (const auto& [node, tasks] : in.counts("charged")) {
        if (node.empty() || tasks < 0)
            in.mark_wrong("charged");
        else
            read.charged.emplace(node_id(node), static_cast<std::uint64_t>(tasks));
    }
    return in.finish(std::move(read));
}

std::string encode(const plan_record& plan) {
    return json::serialize(json::object{{"topology", plan.topology.value()}});
}

result<plan_record> decode_plan(std::string_view text) {
    TRY(auto in, runtime::json_record_reader::of("plan", text));
    const kv::revision topology(in.integer("topology"));
    return in.finish(plan_record{.topology = topology});
}

std::string grant_key(const node_id& node, job_id job) {
    return key_of(keys::rollout_grants, node, job);
}
std::string report_key(const node_id& node, job_id job) {
    return key_of(keys::rollout_reports, node, job);
}
std::string plan_key(job_id job) {
    return keys::under(keys::rollout_plans, to_string(job));
}
std::string grants_of(const node_id& node) {
    return keys::under(keys::rollout_grants, node.str()) + "/";
}

std::optional<quota_key> parse_quota_key(std::string_view key) {
    using kind = quota_key::kind;
    if (auto grant = parse_under(keys::rollout_grants, kind::grant, key)) return grant;
    if (auto report = parse_under(keys::rollout_reports, kind::report, key)) return report;
    return parse_under(keys::rollout_plans, kind::plan, key);
}

std::optional<rollout::cluster_limits> limits_of(const job_record& job) {
    rollout::cluster_limits limits{
        .places = rollout::places_of(job.spec.rollout, job.targets),
        .starts_milli = rollout::starts_milli_of(job.spec.rollout)};
    if (!limits.places && !limits.starts_milli) return std::nullopt;
    return limits;
}

}  // namespace muster::jobs
