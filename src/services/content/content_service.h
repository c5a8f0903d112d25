#pragma once

#include "ports/clock.h"
#include "services/content/content_number_allocator.h"
#include "services/content/content_store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace muster::content {

// Use cases on channels, repositories, errata, profiles and subscriptions: checks rules and writes
// related records. errc::invalid for bad input, errc::not_found for missing objects, errc::conflict
// for objects in use. Thread-safe.
class content_service {
public:
    static constexpr std::size_t children_max = 200;     // of a system
    static constexpr std::size_t repositories_max = 50;  // of a channel
    static constexpr std::size_t channel_packages_max = 300'000;

    content_service(content_store& content, content_number_allocator& numbers)
        : content_(content), numbers_(numbers) {}

    async<channel_ref> create(channel desired, std::string by);
    // Copies all packages and errata. `without_errata` restores the state before the errata.
    async<channel_ref> clone(
        std::string original, channel channel, bool without_errata, std::string by);
    async<void> remove(std::string label, std::string by);

    // Applies an edit to the current channel; retries after a concurrent change.
    using edit = std::function<result<void>(channel&)>;
    async<channel_ref> change(std::string label, std::string by, edit edit);
    async<channel_ref> add_packages(
        std::string label, std::vector<std::uint32_t> numbers, std::string by);
    async<channel_ref> remove_packages(
        std::string label, std::vector<std::uint32_t> numbers, std::string by);
    // Packages that are in no channel.
    std::vector<package_ref> packages_without_channel() const;
    async<void> remove_package(std::uint32_t number, std::string by);

    async<repository_ref> create_repository(
        std::string label, std::string kind, std::string url, std::string by);
    async<repository_ref> change_repository(
        std::string label,
        std::string by,
        std::function<result<void>(content_repository&)> callback);
    async<void> remove_repository(std::string label, std::string by);

    // Adds errata, with their packages, to a channel.
    async<channel_ref> publish(
        std::vector<std::string> advisories, std::string label, std::string by);
    async<channel_ref> withdraw(
        std::vector<std::string> advisories, std::string label, bool with_packages, std::string by);
    async<void> remove_erratum(std::string advisory, std::string by);

    // An empty base removes the subscription; it must have no children then.
    async<void> subscribe(
        system_number system, std::string base, std::vector<std::string> children, std::string by);

    async<void> save_profile(profile desired, std::string by);
    async<void> remove_profile(std::uint32_t number, std::string by);

private:
    result<void> check(const channel& desired) const;
    async<void> mark_removed(content_record row, std::string by);
    result<packages::number_set> to_existing_set(const std::vector<std::uint32_t>& numbers) const;
    result<std::vector<erratum_ref>> find_errata(const std::vector<std::string>& names) const;

    content_store& content_;
    content_number_allocator& numbers_;
};

}  // namespace muster::content
