"""Ranks the launches of a stencil and draws them: python3 rank_stencil.py [PICTURE]. Needs matplotlib."""
import sys
from matplotlib import pyplot as plt
import warpline

ranking = warpline.rank("dst[0,0,0] = 0.4*src[0,0,0] + 0.1*(src[-1,0,0] + src[1,0,0] + src[0,-1,0]"
                        " + src[0,1,0] + src[0,0,-1] + src[0,0,1])", "h200", domain=(512, 512, 512))
c = ranking.columns
plt.scatter(c["l2_load_bytes"] / c["items"], 1e3 * c["time_s"], c=c["block_x"], norm="log", cmap="cividis", s=12)
plt.colorbar(label="threads of a block in x")
plt.xlabel("bytes loaded from the L2 per cell")
plt.ylabel("predicted time, ms")
plt.title("fastest: block {block_x}x{block_y}x{block_z}, fold {fold_x}x{fold_y}x{fold_z}".format(**ranking.best))
plt.savefig(sys.argv[1] if len(sys.argv) > 1 else "rank_stencil.png", dpi=150)
