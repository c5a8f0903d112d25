#include "adapters/archive/archive_store.h"

#include "base/assert.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace muster::archive {
namespace {

result<void> check_files(const std::filesystem::path& directory, const manifest& manifest) {
    for (const auto& file : manifest.files) {
        std::error_code failure;
        const auto bytes = std::filesystem::file_size(directory / file.name, failure);
        if (!failure && bytes == file.bytes) continue;
        return fail(
            errc::corrupt,
            fmt::format(
                "archive file {} does not have the {} bytes listed in {}; restore the file, or "
                "remove "
                "the manifest to archive the records in the ledger again",
                (directory / file.name).string(),
                file.bytes,
                manifest_name(manifest.from, manifest.part)));
    }
    return {};
}

}  // namespace

archive_store::~archive_store() {
    thread_.join();
}

template <class T, class Work>
async<T> archive_store::run_on_thread(Work work) {
    co_return co_await await_callback<T>(
        [this, work = std::move(work)](completion<T> done) mutable {
            boost::asio::post(
                thread_, [work = std::move(work), done = std::move(done)] { done(work()); });
        });
}

async<std::optional<manifest>> archive_store::find(wall_time from) {
    using optional_manifest = std::optional<manifest>;
    auto work = [this, from]() -> result<optional_manifest> {
        auto existing = load_manifest(directory_ / manifest_name(from));
        if (!existing && existing.error().code() == errc::not_found) return optional_manifest();
        if (!existing) return fail(existing.error());
        CHECK_OK(check_files(directory_, *existing));
        return optional_manifest(*std::move(existing));
    };
    co_return co_await run_on_thread<optional_manifest>(std::move(work));
}

async<bool> archive_store::adopt(manifest recorded) {
    auto work = [this, recorded = std::move(recorded)]() -> result<bool> {
        const auto existing =
            load_manifest(directory_ / manifest_name(recorded.from, recorded.part));
        if (existing) {
            CHECK_OK(check_files(directory_, *existing));
            return true;
        }
        if (existing.error().code() != errc::not_found) return fail(existing.error());
        if (recorded.files.empty() || !check_files(directory_, recorded)) return false;
        CHECK_OK(save_manifest(directory_, recorded));
        return true;
    };
    co_return co_await run_on_thread<bool>(std::move(work));
}

async<void> archive_store::begin(part_name part) {
    auto work = [this, part = std::move(part)]() -> result<void> {
        std::error_code failure;
        std::filesystem::create_directories(directory_, failure);
        if (failure)
            return fail(
                errc::unavailable,
                fmt::format("cannot create {}: {}", directory_.string(), failure.message()));
        writer_.reset();
        const auto name = file_name(part.table, part.from, part.part);
        TRY(writer_, file_writer::create(directory_ / name));
        table_ = part.table;
        return {};
    };
    co_return co_await run_on_thread<void>(std::move(work));
}

async<void> archive_store::append(std::function<result<void>(file_writer&)> write) {
    auto work = [this, write = std::move(write)]() -> result<void> {
        MUSTER_ASSERT(writer_.has_value());
        return write(*writer_);
    };
    co_return co_await run_on_thread<void>(std::move(work));
}

async<archived_file> archive_store::end() {
    auto work = [this]() -> result<archived_file> {
        MUSTER_ASSERT(writer_.has_value());
        auto file = writer_->finish();
        writer_.reset();
        if (file) file->table = table_;
        return file;
    };
    co_return co_await run_on_thread<archived_file>(std::move(work));
}

async<void> archive_store::write_manifest(manifest manifest) {
    auto work = [this, manifest = std::move(manifest)] {
        return save_manifest(directory_, manifest);
    };
    co_return co_await run_on_thread<void>(std::move(work));
}

}  // namespace muster::archive
