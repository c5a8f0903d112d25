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

// A limited job's small records in the metastore: what each node may use (its grant), what each
// node has (its report), and one plan record a job, which every change of grants by the coordinator
// goes through (docs/rollout.md). JSON, so that an operator can read them with any tool.
namespace muster::jobs {

// The topology that the last plan was made for. Who knows only an older one makes none: a node that
// was gone there may be back by now.
struct plan_record {
    kv::revision topology;

    friend bool operator==(const plan_record&, const plan_record&) = default;
};

std::string encode(const rollout::grant& grant);
std::string encode(const rollout::share_report& share_report);
std::string encode(const plan_record& plan);
// errc::corrupt when the text is not such a record.
result<rollout::grant> decode_grant(std::string_view text);
result<rollout::share_report> decode_share_report(std::string_view text);
result<plan_record> decode_plan(std::string_view text);

std::string grant_key(const node_id& node, job_id job);
std::string report_key(const node_id& node, job_id job);
std::string plan_key(job_id job);
// A node sees its own grants under one prefix, and nobody else's.
std::string grants_of(const node_id& node);

struct quota_key {
    enum class kind { grant, report, plan } what = kind::plan;
    std::string node;  // of grants and reports
    job_id job;
};
// Nothing for a key that is none of these.
std::optional<quota_key> parse_quota_key(std::string_view key);

// The limits a job has in the whole cluster; nothing when it has none.
std::optional<rollout::cluster_limits> limits_of(const job_record& job);

}  // namespace muster::jobs
