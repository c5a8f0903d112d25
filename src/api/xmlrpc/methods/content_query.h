#pragma once

#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/content/channel_sync_worker.h"
#include "services/content/content_service.h"
#include "services/content/content_store.h"
#include "services/content/package_sets.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::xmlrpc_api {

// Channels, packages and errata as clients of the compatible API know them, and what the systems
// that a caller may see have of them. Every method that answers from here catches up first.
class content_query {
public:
    struct dependencies {
        content::content_store& content;
        content::package_sets& sets;
        content::content_service& content_service;
        content::channel_sync_worker& syncs;
        const fleet_query& fleet;
        muster::clock& clock;
    };

    explicit content_query(dependencies deps) : deps_(deps) {}

    content::content_store& books() const { return deps_.content; }
    content::content_service& service() const { return deps_.content_service; }
    const fleet_query& fleet() const { return deps_.fleet; }
    const dependencies& around() const { return deps_; }

    async<void> catch_up() const;

    // errc::not_found with a sentence.
    result<content::channel_ref> channel(const std::string& label) const;
    result<content::channel_ref> channel(std::int64_t number) const;
    // By the argument of this name, a label or a number.
    result<content::channel_ref> channel_in(const call& call, std::string_view name) const;
    result<content::package_ref> package(std::int64_t number) const;
    result<content::erratum_ref> erratum(const std::string& advisory) const;

    // Of a system. One that has told no packages has none; one without channels can get none.
    std::string digest_of(const system_record& of) const;
    std::vector<std::string> labels_of(const system_record& of) const;
    async<content::list_ref> installed_on(system_record of) const;
    std::shared_ptr<const packages::available_packages> shelf_of(const system_record& of) const;
    async<std::vector<content::erratum_ref>> relevant_to(system_record of) const;

    // A question about many systems has so long; then it ends with errc::unavailable, which says
    // how far it came.
    static constexpr std::chrono::seconds question_time{60};
    instant question_ends() const { return deps_.clock.now() + question_time; }
    struct progress {
        std::size_t done = 0;
        std::size_t of = 0;
    };
    result<void> check_time(instant ends, progress now) const;

    // The systems among these for which a question about packages and channels is answered with
    // yes. It is asked once for all systems with the same packages and channels.
    using question =
        std::function<bool(const packages::package_list&, const std::vector<std::string>& labels)>;
    // errc::unavailable names the systems whose packages could not be read.
    async<fleet::system_set> among(fleet::system_set systems, question question) const;
    // Of those, the ones that have a channel.
    fleet::system_set subscribed(const fleet::system_set& systems, const std::string& label) const;

    api::value details(const content::channel& of) const;
    std::string sync_status(const content::channel& of) const;

private:
    dependencies deps_;
};

// How packages and errata are told. Numbers of what is not known are left out.
std::string shown_epoch(packages::family kind, const packages::edition& at);
std::string shown_release(packages::family kind, const packages::edition& at);
api::value package_entry(const content::stored_package& of);   // as lists of channels have it
std::string shown_date(const std::optional<wall_time>& when);  // "2026-11-16"
api::value erratum_overview(const content::erratum& of);

// A list of any length, told some at a time.
using list_teller = std::function<api::value(std::size_t at)>;
answer told_in_pieces(std::size_t count, list_teller list_teller);

// `tell` makes an api::value of each.
template <class T, class Tell>
answer told_one_by_one(std::vector<T> all, Tell tell) {
    auto stored = std::make_shared<const std::vector<T>>(std::move(all));
    const auto count = stored->size();
    return told_in_pieces(
        count, [stored, tell = std::move(tell)](std::size_t at) { return tell((*stored)[at]); });
}

api::parameter channel_label(std::string name = "channelLabel");
api::shape content_number();
fault_codes content_faults();

}  // namespace muster::xmlrpc_api
