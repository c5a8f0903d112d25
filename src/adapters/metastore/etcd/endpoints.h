#pragma once

#include "adapters/metastore/etcd/call_queue.h"
#include "adapters/metastore/etcd/options.h"
#include "base/result.h"

#include <cstddef>
#include <vector>

namespace muster::etcd {

// The members of the etcd cluster. One of them is used until it fails. Not thread-safe; use it from
// one strand.
class endpoints {
public:
    // errc::invalid when a TLS file cannot be read.
    static result<endpoints> open(const etcd_options& options);

    struct endpoint {
        std::size_t index = 0;
        channel_ptr channel;
    };
    endpoint current() const { return {current_, channels_[current_]}; }

    // Switches to the next member, unless another call has done so already.
    void mark_failed(std::size_t index) {
        if (index == current_) current_ = (current_ + 1) % channels_.size();
    }

private:
    std::vector<channel_ptr> channels_;
    std::size_t current_ = 0;
};

// A whole file of at most `bytes_max` bytes.
result<std::string> read_small_file(const std::filesystem::path& path, std::size_t bytes_max);

}  // namespace muster::etcd
