#pragma once

#include "adapters/repository/contents.h"
#include "core/model/system.h"
#include "services/content/content_record.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::content {

// That a channel is to be brought up to its repositories. On record until it was tried, so that
// another server does it if the one that began stops.
struct sync_request {
    wall_time at;
    std::string by;
    bool with_errata = true;

    friend bool operator==(const sync_request&, const sync_request&) = default;
};

// A software channel: packages and errata under a label. One without a parent is a base channel,
// the others are its children.
struct channel {
    content_record row;  // with its packages and errata
    std::string name;
    std::string summary;
    std::string description;
    std::string arch;    // "channel-x86_64"
    std::string parent;  // a label
    std::string checksum = "sha256";
    std::string gpg_url;
    std::string gpg_id;
    std::string gpg_print;
    bool gpg_check = false;
    std::string original;                   // that it was cloned from
    std::vector<std::string> repositories;  // labels
    std::string schedule;                   // a cron expression by which it is brought up
    std::optional<wall_time> schedule_set;  // when
    std::optional<wall_time> synced;
    std::string sync_trouble;  // why the last try failed; empty: it did not
    std::optional<sync_request> sync_asked;

    const std::string& label() const { return row.name; }
    std::uint32_t number() const { return row.number; }
};

// Where packages come from.
struct content_repository {
    content_record row;
    std::string kind;  // "yum" or "deb"
    std::string url;

    const std::string& label() const { return row.name; }
};

// Why packages are newer. The longer texts are read when somebody asks for them.
struct erratum {
    content_record row;  // with its packages
    std::string synopsis;
    std::string type;  // "Security Advisory"
    std::string severity;
    std::string status;
    std::string original;  // that it was cloned from
    std::optional<wall_time> issued;
    std::optional<wall_time> updated;
    bool wants_reboot = false;
    bool wants_restart = false;
    std::vector<std::string> cves;

    const std::string& name() const { return row.name; }
};
struct erratum_texts {
    std::string description;
    std::string from;
    std::vector<repository::repository_reference> references;
};

// What was installed on a system once.
struct profile {
    content_record row;
    std::string description;
    std::string channel;  // the system's base channel
    std::string digest;   // of its packages
};

// Which channels a system has.
struct subscription {
    content_record row;
    std::string base;
    std::vector<std::string> children;

    // The base channel first.
    std::vector<std::string> labels() const;
};

using channel_ref = std::shared_ptr<const channel>;
using repository_ref = std::shared_ptr<const content_repository>;
using erratum_ref = std::shared_ptr<const erratum>;
using profile_ref = std::shared_ptr<const profile>;
using subscription_ref = std::shared_ptr<const subscription>;

// The row with the document written anew.
content_record to_record(const channel& from);
content_record to_record(const content_repository& from);
content_record to_record(const erratum& from, const erratum_texts& texts);
content_record to_record(const profile& from);
content_record to_record(const subscription& from);

result<channel> to_channel(content_record row);
result<content_repository> to_repository(content_record row);
result<erratum> to_erratum(content_record row);
result<erratum_texts> texts_of_erratum(const content_record& row);
result<profile> to_profile(content_record row);
result<subscription> to_subscription(content_record row);

erratum erratum_of(const repository::repository_erratum& repository_erratum);
erratum_texts texts_of(const repository::repository_erratum& repository_erratum);

}  // namespace muster::content
