"""Planning quality: the model of a robot against its meshes, tighter fits, buffers."""

NEEDS = ("motion",)
