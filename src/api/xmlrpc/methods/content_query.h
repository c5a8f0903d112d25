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

// Queries channels, packages and errata in the form of the compatible API, and what the systems
// visible to the caller have of them. Every method must call refresh() before it reads.
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

    content::content_store& store() const { return deps_.content; }
    content::content_service& service() const { return deps_.content_service; }
    const fleet_query& fleet() const { return deps_.fleet; }
    const dependencies& deps() const { return deps_; }

    async<void> refresh() const;

    // errc::not_found if there is none.
    result<content::channel_ref> channel(const std::string& label) const;
    result<content::channel_ref> channel(std::int64_t number) const;
    // The argument of this name is a label or a number.
    result<content::channel_ref> find_channel(const call& call, std::string_view name) const;
    result<content::package_ref> package(std::int64_t number) const;
    result<content::erratum_ref> erratum(const std::string& advisory) const;

    // A system that reported no packages has none; a system without channels can get none.
    std::string digest_of(const system_record& system) const;
    std::vector<std::string> labels_of(const system_record& system) const;
    async<content::list_ref> installed_on(system_record system) const;
    std::shared_ptr<const packages::available_packages> available_to(
        const system_record& system) const;
    async<std::vector<content::erratum_ref>> relevant_errata(system_record system) const;

    // Time limit of a query about many systems; errc::unavailable then says how far it came.
    static constexpr std::chrono::seconds query_timeout{60};
    instant query_deadline() const { return deps_.clock.now() + query_timeout; }
    struct progress {
        std::size_t done = 0;
        std::size_t total = 0;
    };
    result<void> check_deadline(instant deadline, progress progress) const;

    // Returns the systems for which the predicate holds. It is evaluated once for all systems with
    // the same packages and channels.
    using package_predicate =
        std::function<bool(const packages::package_list&, const std::vector<std::string>& labels)>;
    // errc::unavailable names the systems whose packages could not be read.
    async<fleet::system_set> filter_systems(
        fleet::system_set systems, package_predicate predicate) const;
    // Returns the systems that have a channel.
    fleet::system_set filter_subscribed(
        const fleet::system_set& systems, const std::string& label) const;

    api::value details(const content::channel& channel) const;
    std::string sync_status(const content::channel& channel) const;

private:
    dependencies deps_;
};

// Values of packages and errata. Unknown numbers are left out.
std::string epoch_text(packages::family family, const packages::edition& edition);
std::string release_text(packages::family family, const packages::edition& edition);
api::value package_entry(const content::stored_package& package);  // as lists of channels have it
std::string date_text(const std::optional<wall_time>& time);       // "2026-11-16"
api::value erratum_overview(const content::erratum& erratum);

// A list of any length, built page by page.
using item_builder = std::function<api::value(std::size_t index)>;
method_response paged_list(std::size_t count, item_builder build_item);

// `build_item` converts an item to an api::value.
template <class T, class ItemBuilder>
method_response paged_list(std::vector<T> items, ItemBuilder build_item) {
    auto stored = std::make_shared<const std::vector<T>>(std::move(items));
    const auto count = stored->size();
    return paged_list(count, [stored, build_item = std::move(build_item)](std::size_t index) {
        return build_item((*stored)[index]);
    });
}

api::parameter channel_label(std::string name = "channelLabel");
api::shape content_number();
fault_codes content_faults();

}  // namespace muster::xmlrpc_api
