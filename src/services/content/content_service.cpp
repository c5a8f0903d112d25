#include "services/content/content_service.h"

#include "adapters/repository/address.h"
#include "services/content/architectures.h"

#include <algorithm>
#include <set>
#include <utility>

namespace muster::content {
namespace {

constexpr int attempts_max = 5;
constexpr std::size_t label_bytes_max = 128;
constexpr std::size_t name_bytes_max = 256;
constexpr std::size_t text_bytes_max = 4096;

bool is_label_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || std::string_view("._-").contains(letter);
}

result<void> check_label(std::string_view text, std::string_view label) {
    const bool valid = !label.empty() && label.size() <= label_bytes_max
                       && std::ranges::all_of(label, is_label_letter) && label.front() != '-'
                       && label.front() != '.';
    if (valid) return {};
    return fail(
        errc::invalid,
        std::string(text)
            + " label must be 1 to 128 letters, digits, '.', '-' and '_', and not start with '.' "
              "or '-'");
}

result<channel_ref> find_channel(const content_store& content, const std::string& label) {
    auto match = content.find<channel>(label);
    if (!match) return fail(errc::not_found, "channel \"" + label + "\" not found");
    return match;
}

}  // namespace

result<void> content_service::check(const channel& desired) const {
    CHECK_OK(check_label("channel", desired.label()));
    if (desired.name.empty() || desired.name.size() > name_bytes_max)
        return fail(errc::invalid, "channel name must be 1 to 256 bytes");
    if (desired.summary.size() > text_bytes_max || desired.description.size() > text_bytes_max)
        return fail(errc::invalid, "channel summary and description must be at most 4096 bytes");
    if (find_arch(desired.arch) == nullptr)
        return fail(
            errc::invalid,
            "channel architecture \"" + desired.arch
                + "\" not found; list them with channel.software.listArches");
    if (desired.repositories.size() > repositories_max)
        return fail(errc::invalid, "channel has more than 50 repositories");
    if (desired.row.packages.size() > channel_packages_max)
        return fail(errc::invalid, "channel has more than 300000 packages");
    if (desired.parent.empty()) return {};
    const auto parent = content_.find<channel>(desired.parent);
    if (!parent)
        return fail(errc::not_found, "parent channel \"" + desired.parent + "\" not found");
    if (!parent->parent.empty() || parent->label() == desired.label())
        return fail(
            errc::invalid, "parent channel \"" + desired.parent + "\" is not a base channel");
    return {};
}

async<channel_ref> content_service::create(channel desired, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    const auto label = desired.label();
    CO_CHECK_OK(check(desired));
    if (content_.find<channel>(label))
        co_return fail(errc::conflict, "channel \"" + label + "\" already exists");
    for (const auto& existing : content_.all<channel>())
        if (existing->name == desired.name)
            co_return fail(
                errc::conflict,
                "channel \"" + existing->label() + "\" already has the name \"" + desired.name
                    + "\"");
    if (content_.count<channel>() >= library_limits::channels_max)
        co_return fail(
            errc::conflict,
            "limit of " + std::to_string(library_limits::channels_max) + " channels reached");
    auto row = content_.begun_from(record_kind::channel, label);
    if (row.number == 0) {
        CO_TRY(row.number, co_await numbers_.take(1));
    }
    row.packages = desired.row.packages;
    row.errata = desired.row.errata;
    row.changed_by = std::move(by);
    desired.row = std::move(row);
    CO_CHECK_OK(co_await content_.write(to_record(desired)));
    co_return find_channel(content_, label);
}

async<channel_ref> content_service::clone(
    std::string original, channel channel, bool without_errata, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto source, find_channel(content_, original));
    channel.row.packages = source->row.packages;
    if (!without_errata) channel.row.errata = source->row.errata;
    channel.original = source->label();
    if (channel.arch.empty()) channel.arch = source->arch;
    if (channel.summary.empty()) channel.summary = source->summary;
    if (without_errata) {
        // Packages of errata were added later.
        for (const auto number : source->row.errata) {
            const auto fix = content_.find<erratum>(number);
            if (fix)
                channel.row.packages = packages::without(channel.row.packages, fix->row.packages);
        }
    }
    co_return co_await create(std::move(channel), std::move(by));
}

async<void> content_service::mark_removed(content_record row, std::string by) {
    row.removed = true;
    row.document = "{}";
    row.packages.clear();
    row.errata.clear();
    row.changed_by = std::move(by);
    co_return co_await content_.write(std::move(row));
}

async<void> content_service::remove(std::string label, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto removed, find_channel(content_, label));
    for (const auto& each : content_.all<channel>())
        if (each->parent == label)
            co_return fail(
                errc::conflict,
                "channel \"" + label + "\" has the child channel \"" + each->label()
                    + "\"; remove the child channel first");
    for (const auto& each : content_.all<subscription>())
        if (std::ranges::count(each->labels(), label) > 0)
            co_return fail(
                errc::conflict,
                "channel \"" + label + "\" is assigned to system \"" + each->row.name
                    + "\"; assign other channels first");
    co_return co_await mark_removed(removed->row, std::move(by));
}

async<channel_ref> content_service::change(std::string label, std::string by, edit edit) {
    for (int attempt = 1;; ++attempt) {
        CO_CHECK_OK(co_await content_.refresh());
        CO_TRY(const auto current, find_channel(content_, label));
        auto changed = *current;
        CO_CHECK_OK(edit(changed));
        CO_CHECK_OK(check(changed));
        changed.row.changed_by = by;
        const auto written = co_await content_.write(to_record(changed));
        if (written) co_return find_channel(content_, label);
        if (written.error().code() != errc::conflict || attempt == attempts_max)
            co_return fail(written.error());
    }
}

result<packages::number_set> content_service::to_existing_set(
    const std::vector<std::uint32_t>& numbers) const {
    for (const auto number : numbers)
        if (!content_.find_package(number))
            return fail(errc::not_found, "package \"" + std::to_string(number) + "\" not found");
    return packages::make_set(numbers);
}

async<channel_ref> content_service::add_packages(
    std::string label, std::vector<std::uint32_t> numbers, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(auto added, to_existing_set(numbers));
    co_return co_await change(
        std::move(label),
        std::move(by),
        [added = std::move(added)](channel& current) -> result<void> {
            current.row.packages = packages::united(current.row.packages, added);
            return {};
        });
}

async<channel_ref> content_service::remove_packages(
    std::string label, std::vector<std::uint32_t> numbers, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(auto removed, to_existing_set(numbers));
    co_return co_await change(
        std::move(label),
        std::move(by),
        [removed = std::move(removed)](channel& current) -> result<void> {
            current.row.packages = packages::without(current.row.packages, removed);
            return {};
        });
}

std::vector<package_ref> content_service::packages_without_channel() const {
    packages::number_set in_channels;
    for (const auto& each : content_.all<channel>())
        in_channels = packages::united(in_channels, each->row.packages);
    auto unused = content_.all_packages();
    std::erase_if(unused, [&](const package_ref& package) {
        return packages::contains(in_channels, package->number);
    });
    return unused;
}

async<void> content_service::remove_package(std::uint32_t number, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(auto removed, co_await content_.read_package(number));
    if (removed.removed)
        co_return fail(errc::not_found, "package \"" + std::to_string(number) + "\" not found");
    for (const auto& each : content_.all<channel>()) {
        if (!packages::contains(each->row.packages, number)) continue;
        CO_CHECK_OK(co_await remove_packages(each->label(), {number}, by));
    }
    removed.removed = true;
    ++removed.version;
    std::vector<package_row> rows;
    rows.push_back(std::move(removed));
    co_return co_await content_.write(std::move(rows));
}

async<repository_ref> content_service::create_repository(
    std::string label, std::string kind, std::string url, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_CHECK_OK(check_label("repository", label));
    if (kind != "yum" && kind != "deb")
        co_return fail(errc::invalid, "repository type must be yum or deb");
    CO_CHECK_OK(repository::parse_address(url));
    if (content_.find<content_repository>(label))
        co_return fail(errc::conflict, "repository \"" + label + "\" already exists");
    if (content_.count<content_repository>() >= library_limits::repositories_max)
        co_return fail(
            errc::conflict,
            "limit of " + std::to_string(library_limits::repositories_max)
                + " repositories reached");
    content_repository repository{
        .row = content_.begun_from(record_kind::repository, label), .kind = kind, .url = url};
    if (repository.row.number == 0) {
        CO_TRY(repository.row.number, co_await numbers_.take(1));
    }
    repository.row.changed_by = std::move(by);
    CO_CHECK_OK(co_await content_.write(to_record(repository)));
    co_return content_.find<content_repository>(label);
}

async<repository_ref> content_service::change_repository(
    std::string label, std::string by, std::function<result<void>(content_repository&)> callback) {
    CO_CHECK_OK(co_await content_.refresh());
    const auto current = content_.find<content_repository>(label);
    if (!current) co_return fail(errc::not_found, "repository \"" + label + "\" not found");
    auto changed = *current;
    CO_CHECK_OK(callback(changed));
    CO_CHECK_OK(repository::parse_address(changed.url));
    changed.row.changed_by = std::move(by);
    CO_CHECK_OK(co_await content_.write(to_record(changed)));
    co_return content_.find<content_repository>(label);
}

async<void> content_service::remove_repository(std::string label, std::string by) {
    CO_CHECK_OK(co_await content_.refresh());
    const auto stored = content_.find<content_repository>(label);
    if (!stored) co_return fail(errc::not_found, "repository \"" + label + "\" not found");
    for (const auto& each : content_.all<channel>())
        if (std::ranges::count(each->repositories, label) > 0)
            co_return fail(
                errc::conflict,
                "repository \"" + label + "\" is used by channel \"" + each->label()
                    + "\"; detach the repository first");
    co_return co_await mark_removed(stored->row, std::move(by));
}

}  // namespace muster::content
