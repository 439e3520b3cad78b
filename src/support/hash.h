// Hashes for interning. They never decide an order, so they may change freely.
#pragma once
#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace nfx {

inline uint64_t hash_text(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

// Mixes words one by one (the 128-bit product folding of wyhash).
class HashMixer {
 public:
  HashMixer& add(uint64_t word) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(state_ ^ word) * 0x9E3779B97F4A7C15u;
    state_ = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64) ^ kSalt;
    return *this;
  }
  uint64_t value() const { return state_; }

 private:
  static constexpr uint64_t kSalt = 0xD6E8FEB86659FD93u;
  uint64_t state_ = 0x2545F4914F6CDD1Du;
};

}  // namespace nfx
