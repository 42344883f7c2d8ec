// Asks the kernel of VAMP about configurations: one at a time, then the free ones in blocks. See bench_motion.py.
#include <vamp/robots/panda.hh>
#include <ctime>
#include <cstdio>
#include <vector>
#include <fstream>
using namespace vamp;
using R = robots::Panda;
constexpr std::size_t rake = FloatVectorWidth;
int main(int argc, char** argv) {
  std::ifstream in(argv[1], std::ios::binary); std::vector<float> q; float x;
  while (in.read((char*)&x, 4)) q.push_back(x);
  std::size_t n = q.size() / 7; std::vector<char> out(n);
  collision::Environment<FloatVector<rake>> env;
  auto ask = [&](std::size_t k) {
    R::ConfigurationBlock<rake> block;
    for (std::size_t j = 0; j < 7; ++j) block[j] = FloatVector<rake,1>::fill(q[7*k+j]);
    return R::fkcc<rake>(env, block);
  };
  double best = 1e9;
  for (int r = 0; r < 5; ++r) {
    auto t = std::clock();
    for (std::size_t k = 0; k < n; ++k) out[k] = ask(k);
    best = std::min(best, double(std::clock() - t) / CLOCKS_PER_SEC);
  }
  std::vector<std::size_t> freeq; for (std::size_t k = 0; k < n; ++k) if (out[k]) freeq.push_back(k);
  double bestb = 1e9; std::size_t blocks = freeq.size() / rake, ok = 0;
  for (int r = 0; r < 5; ++r) {
    ok = 0; auto t = std::clock();
    for (std::size_t b = 0; b < blocks; ++b) {
      R::ConfigurationBlock<rake> block;
      for (std::size_t j = 0; j < 7; ++j) { alignas(64) std::array<float, rake> v; for (std::size_t l = 0; l < rake; ++l) v[l] = q[7*freeq[b*rake+l]+j]; block[j] = FloatVector<rake,1>(v.data()); }
      ok += R::fkcc<rake>(env, block);
    }
    bestb = std::min(bestb, double(std::clock() - t) / CLOCKS_PER_SEC);
  }
  // Seconds one by one, seconds in blocks, configurations in blocks.
  std::printf("%.6f %.6f %zu\n", best, bestb, ok * rake);
  std::ofstream o(argv[2], std::ios::binary); o.write(out.data(), n);
}
