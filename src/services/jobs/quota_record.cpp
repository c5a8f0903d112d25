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

std::uint64_t read_count(runtime::json_record_reader& reader, std::string_view name) {
    const auto value = reader.integer(name);
    if (value < 0) reader.mark_wrong(name);
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

std::optional<quota_key> parse_under(
    std::string_view prefix, quota_key::record_kind kind, std::string_view key) {
    if (!key.starts_with(prefix)) return std::nullopt;
    key.remove_prefix(prefix.size());
    quota_key parsed{.kind = kind, .node = {}, .job = {}};
    if (kind != quota_key::record_kind::plan) {
        const auto slash = key.find('/');
        if (slash == std::string_view::npos || slash == 0) return std::nullopt;
        parsed.node = key.substr(0, slash);
        key.remove_prefix(slash + 1);
    }
    const auto job = parse_job_id(key);
    if (!job) return std::nullopt;
    parsed.job = *job;
    return parsed;
}

}  // namespace

std::string encode(const rollout::grant& grant) {
    return json::serialize(json::object{
        {"goal_places", grant.goal.concurrency},
        {"goal_starts_milli", grant.goal.starts_milli},
        {"ceiling_places", grant.ceiling.concurrency},
        {"ceiling_starts_milli", grant.ceiling.starts_milli},
        {"elsewhere", grant.elsewhere},
        {"epoch", grant.epoch},
        {"holder", grant.holder}});
}

result<rollout::grant> decode_grant(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("grant", text));
    rollout::grant grant;
    grant.goal = {
        .concurrency = read_count(reader, "goal_places"),
        .starts_milli = read_count(reader, "goal_starts_milli")};
    grant.ceiling = {
        .concurrency = read_count(reader, "ceiling_places"),
        .starts_milli = read_count(reader, "ceiling_starts_milli")};
    grant.elsewhere = read_count(reader, "elsewhere");
    grant.epoch = reader.integer("epoch");
    grant.holder = reader.text("holder");
    return reader.finish(std::move(grant));
}

std::string encode(const rollout::share_report& report) {
    json::object charged;
    for (const auto& [node, tasks] : report.charged) charged[node.str()] = tasks;
    return json::serialize(json::object{
        {"epoch", report.epoch},
        {"startable", report.startable},
        {"used", report.used},
        {"unsettled", report.unsettled_epoch},
        {"charged", std::move(charged)}});
}

result<rollout::share_report> decode_share_report(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("share report", text));
    rollout::share_report report;
    report.epoch = reader.integer("epoch");
    report.startable = read_count(reader, "startable");
    report.used = read_count(reader, "used");
    report.unsettled_epoch = reader.integer("unsettled");
    for (const auto& [node, tasks] : reader.counts("charged")) {
        if (node.empty() || tasks < 0)
            reader.mark_wrong("charged");
        else
            report.charged.emplace(node_id(node), static_cast<std::uint64_t>(tasks));
    }
    return reader.finish(std::move(report));
}

std::string encode(const plan_record& plan) {
    return json::serialize(json::object{{"topology", plan.topology.value()}});
}

result<plan_record> decode_plan(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("plan", text));
    const kv::revision topology(reader.integer("topology"));
    return reader.finish(plan_record{.topology = topology});
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
std::string grants_prefix(const node_id& node) {
    return keys::under(keys::rollout_grants, node.str()) + "/";
}

std::optional<quota_key> parse_quota_key(std::string_view key) {
    using kind = quota_key::record_kind;
    if (auto grant = parse_under(keys::rollout_grants, kind::grant, key)) return grant;
    if (auto report = parse_under(keys::rollout_reports, kind::report, key)) return report;
    return parse_under(keys::rollout_plans, kind::plan, key);
}

std::optional<rollout::cluster_limits> limits_of(const job_record& job) {
    rollout::cluster_limits limits{
        .concurrency = rollout::concurrency_of(job.spec.rollout, job.targets),
        .starts_milli = rollout::starts_milli_of(job.spec.rollout)};
    if (!limits.concurrency && !limits.starts_milli) return std::nullopt;
    return limits;
}

}  // namespace muster::jobs
