#pragma once

#include "base/result.h"
#include "core/kv/entry.h"
#include "core/model/job.h"
#include "core/model/node.h"
#include "core/rollout/grant.h"
#include "core/rollout/quota.h"
#include "core/rollout/share.h"

#include <optional>
#include <string>
#include <string_view>

// Quota records of a limited job in the metastore: a grant per node (what it may use), a report per
// node (what it uses), and one plan record. The coordinator rewrites the plan record with every
// change of grants (docs/internals/rollout_limits.md). JSON, so that operators can read the records
// with any tool.
namespace muster::jobs {

// The topology of the last plan. A server with an older topology must not plan: a node that was
// gone there may have returned.
struct plan_record {
    kv::revision topology;

    friend bool operator==(const plan_record&, const plan_record&) = default;
};

std::string encode(const rollout::grant& grant);
std::string encode(const rollout::share_report& report);
std::string encode(const plan_record& plan);
// errc::corrupt for invalid records.
result<rollout::grant> decode_grant(std::string_view text);
result<rollout::share_report> decode_share_report(std::string_view text);
result<plan_record> decode_plan(std::string_view text);

std::string grant_key(const node_id& node, job_id job);
std::string report_key(const node_id& node, job_id job);
std::string plan_key(job_id job);
// Prefix of all grants of one node.
std::string grants_prefix(const node_id& node);

struct quota_key {
    enum class record_kind { grant, report, plan } kind = record_kind::plan;
    std::string node;  // of grants and reports
    job_id job;
};
// Empty for other keys.
std::optional<quota_key> parse_quota_key(std::string_view key);

// The cluster-wide limits of a job; empty for an unlimited job.
std::optional<rollout::cluster_limits> limits_of(const job_record& job);

}  // namespace muster::jobs
